import { texts } from './texts.ts'
/** CI systems with an example, in the order of the menu. */
export const pipelines = [texts.githubActions, texts.gitlabCi, texts.giteaActions, texts.jenkins] as const
export type Pipeline = (typeof pipelines)[number]

/** Returns the file of the repository that an example belongs to. */
export const fileOf: Readonly<Record<Pipeline, string>> = {
  'GitHub Actions': '.github/workflows/security.yml',
  'GitLab CI': '.gitlab-ci.yml',
  'Gitea Actions': '.gitea/workflows/security.yml',
  Jenkins: texts.jenkinsfile,
}

/** Returns where the token is stored. The example never contains it, because the file is in the repository. */
export const secretOf: Readonly<Record<Pipeline, string>> = {
  'GitHub Actions': texts.storeTheTokenAsTheSecret,
  'GitLab CI': texts.storeTheTokenAsTheMasked,
  'Gitea Actions': texts.storeTheTokenAsTheSecret,
  Jenkins: texts.storeTheTokenAsACredential,
}

/** Returns an example that sends a report with the command line of this server. */
export function pipelineSnippet(pipeline: Pipeline, project: string): string {
  const upload = texts.npxYesAlcoveUrl(project)
  if (pipeline === 'GitLab CI') return gitlab(upload)
  if (pipeline === 'Jenkins') return jenkins(upload)
  return actions(upload, pipeline === 'GitHub Actions' ? 'ubuntu-latest' : 'docker')
}

const actions = (upload: string, runner: string) => texts.onPushBranchesMain(runner, location.origin, upload)

const gitlab = (upload: string) => texts.securityReportImageNode(location.origin, upload)

const jenkins = (upload: string) => texts.pipelineAgentAnyEnvironment(location.origin, upload)
