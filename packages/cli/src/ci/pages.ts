import type { Environment } from '../io.ts'
import type { CiRun } from './ci-run.ts'

/** Addresses of the pages of a job and of its commit, as far as its CI system has them. */
type Pages = Pick<CiRun, 'jobUrl' | 'commitUrl'>
export type ReadPages = (env: Environment, commit: string | undefined) => Pages

const maxLength = 1024

/** Reads the addresses, without those that a server would reject. */
export function readPages(read: ReadPages, env: Environment, commit: string | undefined): Pages {
  const { jobUrl, commitUrl } = read(env, commit)
  return { jobUrl: pageOf(jobUrl), commitUrl: pageOf(commitUrl) }
}

/** Returns an address without credentials; undefined for what is no page. */
function pageOf(text: string | undefined): string | undefined {
  if (!text || !URL.canParse(text)) return undefined
  const url = new URL(text)
  url.username = ''
  url.password = ''
  const isPage = ['http:', 'https:'].includes(url.protocol) && url.href.length <= maxLength
  return isPage ? url.href : undefined
}

/** Joins an address; undefined if a part is missing. */
function join(base: string | undefined, ...parts: (string | undefined)[]): string | undefined {
  if (base === undefined || parts.includes(undefined)) return undefined
  return [base.replace(/\/+$/, ''), ...parts].join('/')
}

export const gitlabPages: ReadPages = (env, commit) => ({
  jobUrl: env['CI_JOB_URL'],
  commitUrl: join(env['CI_PROJECT_URL'], '-/commit', commit),
})

/** Pages of GitHub, Gitea and Forgejo Actions. */
export const actionsPages: ReadPages = (env, commit) => {
  const repository = join(env['GITHUB_SERVER_URL'], env['GITHUB_REPOSITORY'])
  return {
    jobUrl: join(repository, 'actions/runs', env['GITHUB_RUN_ID']),
    commitUrl: join(repository, 'commit', commit),
  }
}

export const woodpeckerPages: ReadPages = (env, commit) => ({
  jobUrl: env['CI_STEP_URL'] ?? env['CI_PIPELINE_URL'],
  commitUrl: join(env['CI_REPO_URL'], 'commit', commit),
})

export const azurePages: ReadPages = (env, commit) => ({
  jobUrl: join(
    env['SYSTEM_COLLECTIONURI'],
    env['SYSTEM_TEAMPROJECT'] && encodeURIComponent(env['SYSTEM_TEAMPROJECT']),
    env['BUILD_BUILDID'] && `_build/results?buildId=${env['BUILD_BUILDID']}`,
  ),
  commitUrl: join(env['BUILD_REPOSITORY_URI']?.replace(/\.git$/, ''), 'commit', commit),
})

export const bitbucketPages: ReadPages = (env, commit) => ({
  jobUrl: join(env['BITBUCKET_GIT_HTTP_ORIGIN'], 'pipelines/results', env['BITBUCKET_BUILD_NUMBER']),
  commitUrl: join(env['BITBUCKET_GIT_HTTP_ORIGIN'], 'commits', commit),
})

/** Jenkins has no page of the commit. */
export const jenkinsPages: ReadPages = (env) => ({ jobUrl: env['BUILD_URL'], commitUrl: undefined })
