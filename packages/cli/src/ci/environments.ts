import { readFileSync } from 'node:fs'
import type { Environment } from '../io.ts'
import type { Change, CiRun, ForgeKind } from './ci-run.ts'
import { apiAddress, forgeOf, forgeOfChangePage } from './forges.ts'
import {
  actionsPages,
  azurePages,
  bitbucketPages,
  gitlabPages,
  jenkinsPages,
  type ReadPages,
  readPages,
  woodpeckerPages,
} from './pages.ts'

type Job = Omit<CiRun, 'system' | 'jobUrl' | 'commitUrl'>

/** How a CI system is recognised and read. */
interface CiSystem {
  name: string
  matches(env: Environment): boolean
  read(env: Environment): Job
  /** Reads the addresses of the pages of the job and of a commit. */
  readPages: ReadPages
}

/** The CI systems. The first that matches is used: Gitea and Forgejo also set the variables of GitHub. */
const systems: readonly CiSystem[] = [
  { name: 'GitLab CI', matches: (env) => env['GITLAB_CI'] === 'true', read: readGitLab, readPages: gitlabPages },
  {
    name: 'Forgejo Actions',
    matches: (env) => env['FORGEJO_ACTIONS'] === 'true',
    read: (env) => readActions(env, 'gitea'),
    readPages: actionsPages,
  },
  {
    name: 'Gitea Actions',
    matches: (env) => env['GITEA_ACTIONS'] === 'true',
    read: (env) => readActions(env, 'gitea'),
    readPages: actionsPages,
  },
  {
    name: 'GitHub Actions',
    matches: (env) => env['GITHUB_ACTIONS'] === 'true',
    read: (env) => readActions(env, 'github'),
    readPages: actionsPages,
  },
  {
    name: 'Woodpecker',
    matches: (env) => env['CI'] === 'woodpecker',
    read: readWoodpecker,
    readPages: woodpeckerPages,
  },
  {
    name: 'Azure Pipelines',
    matches: (env) => /^true$/i.test(env['TF_BUILD'] ?? ''),
    read: readAzure,
    readPages: azurePages,
  },
  {
    name: 'Bitbucket Pipelines',
    matches: (env) => 'BITBUCKET_BUILD_NUMBER' in env,
    read: readBitbucket,
    readPages: bitbucketPages,
  },
  { name: 'Jenkins', matches: (env) => 'JENKINS_URL' in env, read: readJenkins, readPages: jenkinsPages },
]

/** Reads the environment of a CI job. Returns `undefined` outside of the known CI systems. */
export function readCiRun(env: Environment): CiRun | undefined {
  const system = systems.find(({ matches }) => matches(env))
  if (!system) return undefined
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const job = system.read(present)
  return { system: system.name, ...job, ...readPages(system.readPages, present, job.commit) }
}

function readGitLab(env: Environment): Job {
  const number = env['CI_MERGE_REQUEST_IID']
  const target = env['CI_MERGE_REQUEST_PROJECT_PATH'] ?? env['CI_PROJECT_PATH']
  const isFork = env['CI_MERGE_REQUEST_SOURCE_PROJECT_PATH'] !== target
  const change = number && { number, forge: forgeOf('gitlab', env['CI_API_V4_URL'], target, env) }
  const branch = env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'] ?? env['CI_COMMIT_REF_NAME']
  return {
    project: change ? target : env['CI_PROJECT_PATH'],
    // Merged results pipelines run on a commit that exists nowhere else.
    commit: env['CI_MERGE_REQUEST_SOURCE_BRANCH_SHA'] ?? env['CI_COMMIT_SHA'],
    ...refOf({ branch, target: env['CI_MERGE_REQUEST_TARGET_BRANCH_NAME'], change, isFork, folder: 'merge-requests' }),
  }
}

/** Reads the variables that GitHub Actions has and that Gitea and Forgejo Actions copy. */
function readActions(env: Environment, kind: ForgeKind): Job {
  const project = env['GITHUB_REPOSITORY']
  const event = readEvent(env['GITHUB_EVENT_PATH'])
  const number = /^refs\/pull\/(\d+)\//.exec(env['GITHUB_REF'] ?? '')?.[1] ?? event.number
  const server = env['GITHUB_SERVER_URL']
  const apiUrl = env['GITHUB_API_URL'] ?? (server && apiAddress(kind, server, new URL(server).host))
  const change = number && { number, forge: forgeOf(kind, apiUrl, project, env) }
  const branch = change ? env['GITHUB_HEAD_REF'] : env['GITHUB_REF_NAME']
  return {
    project,
    // The job of a pull request runs on a merge commit that exists nowhere else.
    commit: event.headCommit ?? env['GITHUB_SHA'],
    ...refOf({
      branch: branch ?? withoutPrefix(env['GITHUB_REF']),
      target: env['GITHUB_BASE_REF'],
      change,
      isFork: event.number !== undefined && event.headProject !== project,
      folder: 'pull',
    }),
  }
}

interface PullRequestEvent {
  number?: string | undefined
  headCommit?: string | undefined
  /** Repository of the source branch. Absent when the fork has been deleted. */
  headProject?: string | undefined
}

/** Reads the file of the event that started the job. */
function readEvent(path: string | undefined): PullRequestEvent {
  try {
    const event = path ? (JSON.parse(readFileSync(path, 'utf8')) as EventFile) : {} // fields are checked below
    const { number, head } = event.pull_request ?? {}
    return {
      number: typeof number === 'number' ? String(number) : undefined,
      headCommit: typeof head?.sha === 'string' ? head.sha : undefined,
      headProject: typeof head?.repo?.full_name === 'string' ? head.repo.full_name : undefined,
    }
  } catch {
    return {}
  }
}

interface EventFile {
  pull_request?: { number?: unknown; head?: { sha?: unknown; repo?: { full_name?: unknown } | null } }
}

function readWoodpecker(env: Environment): Job {
  const number = env['CI_COMMIT_PULL_REQUEST']
  const project = env['CI_REPO']
  const kinds: Partial<Record<string, ForgeKind>> = {
    gitlab: 'gitlab',
    github: 'github',
    gitea: 'gitea',
    forgejo: 'gitea',
  }
  const kind = kinds[env['CI_FORGE_TYPE'] ?? '']
  const url = env['CI_FORGE_URL']
  const isKnown = kind !== undefined && url !== undefined && URL.canParse(url)
  const apiUrl = isKnown ? apiAddress(kind, url.replace(/\/+$/, ''), new URL(url).host) : undefined
  const change = number && { number, forge: kind && forgeOf(kind, apiUrl, project, env) }
  return {
    project,
    commit: env['CI_COMMIT_SHA'],
    ...refOf({
      branch: env['CI_COMMIT_TAG'] ?? env['CI_COMMIT_BRANCH'],
      target: env['CI_COMMIT_TARGET_BRANCH'],
      change,
      // No variable says whether the source branch belongs to a fork, so every pull request is taken for one of a fork.
      isFork: true,
      folder: kind === 'gitlab' ? 'merge-requests' : 'pull',
    }),
  }
}

function readAzure(env: Environment): Job {
  const number = env['SYSTEM_PULLREQUEST_PULLREQUESTNUMBER'] ?? env['SYSTEM_PULLREQUEST_PULLREQUESTID']
  const repository = env['BUILD_REPOSITORY_NAME']
  const isGitHub = env['BUILD_REPOSITORY_PROVIDER'] === 'GitHub'
  // The name of a repository on GitHub includes its owner; in Azure Repos, the project comes first.
  const path = isGitHub || !repository ? repository : `${env['SYSTEM_TEAMPROJECT'] ?? ''}/${repository}`
  const forge = isGitHub ? forgeOf('github', 'https://api.github.com', repository, env) : undefined
  const change = number && { number, forge }
  return {
    project: path && asProjectPath(path),
    commit: env['SYSTEM_PULLREQUEST_SOURCECOMMITID'] ?? env['BUILD_SOURCEVERSION'],
    ...refOf({
      branch: withoutPrefix(change ? env['SYSTEM_PULLREQUEST_SOURCEBRANCH'] : env['BUILD_SOURCEBRANCH']),
      target: withoutPrefix(env['SYSTEM_PULLREQUEST_TARGETBRANCH']),
      change,
      isFork: /^true$/i.test(env['SYSTEM_PULLREQUEST_ISFORK'] ?? ''),
      folder: 'pull',
    }),
  }
}

function readBitbucket(env: Environment): Job {
  const number = env['BITBUCKET_PR_ID']
  return {
    project: env['BITBUCKET_REPO_FULL_NAME'],
    commit: env['BITBUCKET_COMMIT'],
    ...refOf({
      branch: env['BITBUCKET_TAG'] ?? env['BITBUCKET_BRANCH'],
      target: env['BITBUCKET_PR_DESTINATION_BRANCH'],
      change: number && { number, forge: undefined },
      // Pull requests of forks start no pipeline in the target repository.
      isFork: false,
      folder: 'pull',
    }),
  }
}

/** Reads the variables of a multibranch job, and of the Git plugin for other jobs. */
function readJenkins(env: Environment): Job {
  const number = env['CHANGE_ID']
  return {
    project: projectOfRemote(env['GIT_URL']),
    commit: env['GIT_COMMIT'],
    ...refOf({
      branch:
        env['TAG_NAME'] ??
        env['CHANGE_BRANCH'] ??
        env['BRANCH_NAME'] ??
        env['GIT_LOCAL_BRANCH'] ??
        env['GIT_BRANCH']?.replace(/^origin\//, ''),
      target: env['CHANGE_TARGET'],
      change: number && { number, forge: forgeOfChangePage(env['CHANGE_URL'], env) },
      isFork: 'CHANGE_FORK' in env,
      folder: 'pull',
    }),
  }
}

interface RefParts {
  branch: string | undefined
  target: string | undefined
  change: Change | '' | undefined
  isFork: boolean
  folder: 'pull' | 'merge-requests'
}

/**
 * Returns the ref and the target. A branch of a fork gets the name of its request, because a branch of the same name in
 * the repository itself, such as `main`, is another one.
 */
function refOf({ branch, target, change, isFork, folder }: RefParts): Pick<CiRun, 'ref' | 'targetRef' | 'change'> {
  if (!change) return { ref: branch, targetRef: undefined, change: undefined }
  const isOther = isFork || branch === undefined || branch === target
  return { ref: isOther ? `refs/${folder}/${change.number}/head` : branch, targetRef: target, change }
}

const withoutPrefix = (ref: string | undefined) => ref?.replace(/^refs\/(heads|tags)\//, '')

/** Returns the path of a repository from the address that Git clones it from. */
function projectOfRemote(remote: string | undefined): string | undefined {
  if (!remote) return undefined
  const path = URL.canParse(remote) ? new URL(remote).pathname : /^[^/]+:(.+)$/.exec(remote)?.[1]
  return (
    path
      ?.replace(/^\/+/, '')
      .replace(/\/$/, '')
      .replace(/\.git$/, '') || undefined
  )
}

/** Replaces the characters that the path of a project may not have. */
function asProjectPath(path: string): string {
  return path
    .split('/')
    .map((part) => part.replace(/[^A-Za-z0-9_.-]+/g, '-').replace(/^[-.]+|[-.]+$/g, ''))
    .filter((part) => part !== '')
    .join('/')
}
