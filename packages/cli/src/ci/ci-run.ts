/** What a CI system says about the job that runs. Fields that it does not say are undefined. */
export interface CiRun {
  /** Name of the CI system. */
  system: string
  /** Full path of the repository, used as the path of the project. */
  project: string | undefined
  /** Branch or tag. For a merge or pull request, its source branch. */
  ref: string | undefined
  commit: string | undefined
  /** Page of the job or, where a CI system has none, of its pipeline or build. */
  jobUrl: string | undefined
  /** Page of the commit. */
  commitUrl: string | undefined
  /** Target branch of the merge or pull request. */
  targetRef: string | undefined
  change: Change | undefined
}

/** A merge request or pull request. */
export interface Change {
  number: string
  /** Where notes about it can be written; undefined where the CI system does not say it. */
  forge: Forge | undefined
}

export interface Forge {
  kind: ForgeKind
  /** Address of its API, such as `https://gitlab.example.com/api/v4`. */
  apiUrl: string
  /** Path or id of the repository that has the merge or pull request. */
  project: string
  /** Tokens of the job, best first. */
  tokens: readonly ForgeToken[]
}

export type ForgeKind = 'gitlab' | 'github' | 'gitea'

export interface ForgeToken {
  /** Name of the variable that contains it. */
  variable: string
  value: string
}

/** Name of a change in the sentences of its forge, such as `merge request`. */
export function changeNoun(kind: ForgeKind): string {
  return kind === 'gitlab' ? 'merge request' : 'pull request'
}
