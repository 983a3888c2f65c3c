import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readCiRun } from './environments.ts'

const fixtures = new URL('fixtures/', import.meta.url)

/** Reads the variables of a job. Each file has all variables that its CI system documents for such a job. */
function variablesOf(name: string): Record<string, string> {
  const lines = readFileSync(new URL(`${name}.env`, fixtures), 'utf8')
    .trimEnd()
    .split('\n')
  const env = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  )
  const event = env['GITHUB_EVENT_PATH']
  return { ...env, ...(event && { GITHUB_EVENT_PATH: new URL(event, fixtures).pathname }) }
}

/** Newest commit of the source branch. */
const commit = '4f1d7c0e9a3b5c6d8e2f1a0b9c8d7e6f5a4b3c2d'

interface Expected {
  system: string
  project?: string
  ref: string
  /** Target of the merge or pull request. */
  target?: string
  /** Kind and address of the API for notes, and the variable of their token. */
  notes?: readonly [string, string, string?]
}

const gitlab = ['gitlab', 'https://gitlab.example.com/api/v4', 'CI_JOB_TOKEN'] as const
const github = ['github', 'https://api.github.com', 'GITHUB_TOKEN'] as const
const fork = 'refs/pull/12/head'

const jobs: Record<string, Expected> = {
  'gitlab-push': { system: 'GitLab CI', project: 'shop/team/api', ref: 'main' },
  'gitlab-tag': { system: 'GitLab CI', project: 'shop/team/api', ref: 'v1.4.0' },
  'gitlab-merge-request': {
    system: 'GitLab CI',
    project: 'shop/team/api',
    ref: 'feature/login',
    target: 'main',
    notes: gitlab,
  },
  'gitlab-merged-results': {
    system: 'GitLab CI',
    project: 'shop/team/api',
    ref: 'feature/login',
    target: 'main',
    notes: gitlab,
  },
  'gitlab-merge-request-of-fork': {
    system: 'GitLab CI',
    project: 'shop/team/api',
    ref: 'refs/merge-requests/12/head',
    target: 'develop',
    notes: gitlab,
  },
  'github-push': { system: 'GitHub Actions', ref: 'feature/login' },
  'github-tag': { system: 'GitHub Actions', ref: 'v1.4.0' },
  'github-pull-request': { system: 'GitHub Actions', ref: 'feature/login', target: 'main', notes: github },
  'github-pull-request-of-fork': { system: 'GitHub Actions', ref: fork, target: 'main', notes: github },
  'github-pull-request-of-deleted-fork': { system: 'GitHub Actions', ref: fork, target: 'main', notes: github },
  'gitea-pull-request': {
    system: 'Gitea Actions',
    ref: 'feature/login',
    target: 'main',
    notes: ['gitea', 'https://gitea.example.com/api/v1', 'GITHUB_TOKEN'],
  },
  'forgejo-push': { system: 'Forgejo Actions', ref: 'main' },
  'jenkins-branch': { system: 'Jenkins', ref: 'main' },
  'jenkins-tag': { system: 'Jenkins', ref: 'v1.4.0' },
  'jenkins-pull-request': {
    system: 'Jenkins',
    ref: 'feature/login',
    target: 'main',
    notes: ['github', 'https://github.example.com/api/v3', 'ALCOVE_NOTE_TOKEN'],
  },
  'jenkins-pull-request-of-fork': {
    system: 'Jenkins',
    ref: fork,
    target: 'main',
    notes: ['github', 'https://github.example.com/api/v3', 'ALCOVE_NOTE_TOKEN'],
  },
  'jenkins-plain-job': { system: 'Jenkins', ref: 'main' },
  'woodpecker-push': { system: 'Woodpecker', ref: 'main' },
  'woodpecker-tag': { system: 'Woodpecker', ref: 'v1.4.0' },
  'woodpecker-pull-request': {
    system: 'Woodpecker',
    ref: fork,
    target: 'main',
    notes: ['gitea', 'https://codeberg.example.org/api/v1'],
  },
  'woodpecker-merge-request': {
    system: 'Woodpecker',
    ref: 'refs/merge-requests/12/head',
    target: 'main',
    notes: ['gitlab', 'https://gitlab.example.com/api/v4'],
  },
  'azure-push': { system: 'Azure Pipelines', project: 'Web-Shop/api', ref: 'feature/login' },
  'azure-tag': { system: 'Azure Pipelines', project: 'Web-Shop/api', ref: 'v1.4.0' },
  'azure-pull-request': {
    system: 'Azure Pipelines',
    project: 'Web-Shop/api',
    ref: 'feature/login',
    target: 'main',
  },
  'azure-pull-request-of-fork-on-github': {
    system: 'Azure Pipelines',
    ref: fork,
    target: 'main',
    notes: ['github', 'https://api.github.com'],
  },
  'bitbucket-branch': { system: 'Bitbucket Pipelines', ref: 'feature/login' },
  'bitbucket-pull-request': { system: 'Bitbucket Pipelines', ref: 'feature/login', target: 'main' },
  'bitbucket-tag': { system: 'Bitbucket Pipelines', ref: 'v1.4.0' },
}

test.each(Object.entries(jobs))('the variables of %s are read', (name, expected) => {
  const { system, project = 'shop/api', ref, target, notes } = expected
  const env = variablesOf(name)
  const [kind, apiUrl, variable] = notes ?? []
  const tokens = variable === undefined ? [] : [{ variable, value: env[variable] }]
  const forge = kind && { kind, apiUrl, project, tokens }
  const change = target === undefined ? undefined : { number: '12', forge: forge || undefined }
  expect(readCiRun(env)).toMatchObject({ system, project, ref, commit, targetRef: target, change })
})

const pages: [name: string, jobUrl: string | undefined, commitUrl: string | undefined][] = [
  [
    'gitlab-push',
    'https://gitlab.example.com/shop/team/api/-/jobs/5501',
    `https://gitlab.example.com/shop/team/api/-/commit/${commit}`,
  ],
  ['github-push', 'https://github.com/shop/api/actions/runs/9001', `https://github.com/shop/api/commit/${commit}`],
  [
    'gitea-pull-request',
    'https://gitea.example.com/shop/api/actions/runs/9001',
    `https://gitea.example.com/shop/api/commit/${commit}`,
  ],
  ['jenkins-branch', 'https://jenkins.example.com/job/shop/job/api/job/main/31/', undefined],
  [
    'woodpecker-push',
    'https://ci.example.org/repos/5/pipeline/77/6',
    `https://codeberg.example.org/shop/api/commit/${commit}`,
  ],
  [
    'azure-push',
    'https://dev.azure.com/shop/Web%20Shop/_build/results?buildId=901',
    `https://dev.azure.com/shop/Web%20Shop/_git/api/commit/${commit}`,
  ],
  [
    'bitbucket-branch',
    'http://bitbucket.org/shop/api/pipelines/results/31',
    `http://bitbucket.org/shop/api/commits/${commit}`,
  ],
]

test.each(pages)('the pages of the job and the commit of %s are read', (name, jobUrl, commitUrl) => {
  expect(readCiRun(variablesOf(name))).toMatchObject({ jobUrl, commitUrl })
})

test('what is no page, or has credentials, is not passed on', () => {
  const env = { ...variablesOf('azure-push'), BUILD_REPOSITORY_URI: 'https://me:secret@dev.azure.com/shop/_git/api' }
  expect(readCiRun(env)?.commitUrl).toBe(`https://dev.azure.com/shop/_git/api/commit/${commit}`)
  const other = { ...variablesOf('jenkins-branch'), BUILD_URL: 'unconfigured-jenkins-url/job/main/31/' }
  expect(readCiRun(other)?.jobUrl).toBeUndefined()
})

test('outside of a CI system there is no run', () => {
  expect(readCiRun({ CI: 'true', HOME: '/root' })).toBeUndefined()
})

describe('a pull request of GitHub Actions', () => {
  test('is read without the file of its event', () => {
    const env: Record<string, string> = { ...variablesOf('github-pull-request'), GITHUB_EVENT_PATH: '/absent' }
    expect(readCiRun(env)).toMatchObject({ ref: 'feature/login', commit: env['GITHUB_SHA'], targetRef: 'main' })
  })
})

test('a pull request whose source branch is called like its target never reports for the target', () => {
  const env = { ...variablesOf('bitbucket-pull-request'), BITBUCKET_BRANCH: 'main' }
  expect(readCiRun(env)).toMatchObject({ ref: 'refs/pull/12/head', targetRef: 'main' })
})
