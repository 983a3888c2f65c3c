import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { folder } from '../testing/command-run.ts'
import { readCiRun } from './environments.ts'

/** Variables as each system documents them, for a push and for a merge or pull request. */
const recorded = {
  'GitLab CI, push': {
    env: {
      CI: 'true',
      GITLAB_CI: 'true',
      CI_API_V4_URL: 'https://gitlab.example.com/api/v4',
      CI_PROJECT_PATH: 'shop/team/api',
      CI_COMMIT_REF_NAME: 'main',
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_SHA: 'a1',
      CI_DEFAULT_BRANCH: 'main',
      CI_JOB_TOKEN: 'job',
    },
    run: { system: 'GitLab CI', project: 'shop/team/api', ref: 'main', commit: 'a1' },
  },
  'GitLab CI, tag': {
    env: {
      GITLAB_CI: 'true',
      CI_PROJECT_PATH: 'shop/api',
      CI_COMMIT_REF_NAME: 'v1',
      CI_COMMIT_TAG: 'v1',
      CI_COMMIT_SHA: 'a1',
    },
    run: { system: 'GitLab CI', project: 'shop/api', ref: 'v1', commit: 'a1' },
  },
  'GitLab CI, merged results pipeline': {
    env: {
      GITLAB_CI: 'true',
      CI_API_V4_URL: 'https://gitlab.example.com/api/v4',
      CI_PROJECT_PATH: 'shop/api',
      CI_COMMIT_REF_NAME: 'feature/login',
      CI_COMMIT_SHA: 'merge',
      CI_MERGE_REQUEST_IID: '12',
      CI_MERGE_REQUEST_PROJECT_PATH: 'shop/api',
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'shop/api',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/login',
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: 'b2',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
      CI_JOB_TOKEN: 'job',
    },
    run: {
      system: 'GitLab CI',
      project: 'shop/api',
      ref: 'feature/login',
      commit: 'b2',
      targetRef: 'main',
      change: {
        number: '12',
        forge: {
          kind: 'gitlab',
          apiUrl: 'https://gitlab.example.com/api/v4',
          project: 'shop/api',
          tokens: [{ variable: 'CI_JOB_TOKEN', value: 'job' }],
        },
      },
    },
  },
  'GitLab CI, merge request of a fork': {
    env: {
      GITLAB_CI: 'true',
      CI_PROJECT_PATH: 'someone/api',
      CI_COMMIT_REF_NAME: 'main',
      CI_COMMIT_SHA: 'b2',
      CI_MERGE_REQUEST_IID: '13',
      CI_MERGE_REQUEST_PROJECT_PATH: 'shop/api',
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: 'someone/api',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'main',
      CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: '',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'develop',
    },
    run: {
      system: 'GitLab CI',
      project: 'shop/api',
      ref: 'refs/merge-requests/13/head',
      commit: 'b2',
      targetRef: 'develop',
      change: { number: '13' },
    },
  },
  'GitHub Actions, push': {
    env: {
      CI: 'true',
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: 'https://api.github.com',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'shop/api',
      GITHUB_REF: 'refs/heads/feature/login',
      GITHUB_REF_NAME: 'feature/login',
      GITHUB_HEAD_REF: '',
      GITHUB_BASE_REF: '',
      GITHUB_SHA: 'a1',
    },
    run: { system: 'GitHub Actions', project: 'shop/api', ref: 'feature/login', commit: 'a1' },
  },
  'Gitea Actions, pull request': {
    env: {
      GITHUB_ACTIONS: 'true',
      GITEA_ACTIONS: 'true',
      GITHUB_API_URL: 'https://gitea.example.com/api/v1',
      GITHUB_SERVER_URL: 'https://gitea.example.com',
      GITHUB_REPOSITORY: 'shop/api',
      GITHUB_REF: 'refs/pull/4/head',
      GITHUB_HEAD_REF: 'feature/login',
      GITHUB_BASE_REF: 'main',
      GITHUB_SHA: 'a1',
      GITHUB_TOKEN: 'job',
    },
    run: {
      system: 'Gitea Actions',
      project: 'shop/api',
      ref: 'feature/login',
      commit: 'a1',
      targetRef: 'main',
      change: {
        number: '4',
        forge: {
          kind: 'gitea',
          apiUrl: 'https://gitea.example.com/api/v1',
          project: 'shop/api',
          tokens: [{ variable: 'GITHUB_TOKEN', value: 'job' }],
        },
      },
    },
  },
  'Forgejo Actions, push': {
    env: {
      GITHUB_ACTIONS: 'true',
      FORGEJO_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'shop/api',
      GITHUB_REF: 'refs/heads/main',
      GITHUB_REF_NAME: 'main',
      GITHUB_SHA: 'a1',
    },
    run: { system: 'Forgejo Actions', project: 'shop/api', ref: 'main', commit: 'a1' },
  },
  'Jenkins, branch of a multibranch job': {
    env: {
      JENKINS_URL: 'https://jenkins.example.com/',
      BRANCH_NAME: 'main',
      GIT_BRANCH: 'main',
      GIT_COMMIT: 'a1',
      GIT_URL: 'https://gitlab.example.com/shop/team/api.git',
    },
    run: { system: 'Jenkins', project: 'shop/team/api', ref: 'main', commit: 'a1' },
  },
  'Jenkins, pull request of a multibranch job': {
    env: {
      JENKINS_URL: 'https://jenkins.example.com/',
      BRANCH_NAME: 'PR-7',
      CHANGE_ID: '7',
      CHANGE_BRANCH: 'feature/login',
      CHANGE_TARGET: 'main',
      CHANGE_URL: 'https://github.example.com/shop/api/pull/7',
      GIT_COMMIT: 'a1',
      GIT_URL: 'git@github.example.com:shop/api.git',
      ALCOVE_NOTE_TOKEN: 'note',
    },
    run: {
      system: 'Jenkins',
      project: 'shop/api',
      ref: 'feature/login',
      commit: 'a1',
      targetRef: 'main',
      change: {
        number: '7',
        forge: {
          kind: 'github',
          apiUrl: 'https://github.example.com/api/v3',
          project: 'shop/api',
          tokens: [{ variable: 'ALCOVE_NOTE_TOKEN', value: 'note' }],
        },
      },
    },
  },
  'Jenkins, plain job': {
    env: {
      JENKINS_URL: 'https://jenkins.example.com/',
      GIT_BRANCH: 'origin/main',
      GIT_COMMIT: 'a1',
      GIT_URL: 'ssh://git@example.com:22/shop/api',
    },
    run: { system: 'Jenkins', project: 'shop/api', ref: 'main', commit: 'a1' },
  },
  'Woodpecker, pull request': {
    env: {
      CI: 'woodpecker',
      CI_REPO: 'shop/api',
      CI_COMMIT_SHA: 'a1',
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_SOURCE_BRANCH: 'feature/login',
      CI_COMMIT_TARGET_BRANCH: 'main',
      CI_COMMIT_PULL_REQUEST: '9',
      CI_FORGE_TYPE: 'forgejo',
      CI_FORGE_URL: 'https://codeberg.example.org',
    },
    run: {
      system: 'Woodpecker',
      project: 'shop/api',
      ref: 'feature/login',
      commit: 'a1',
      targetRef: 'main',
      change: {
        number: '9',
        forge: { kind: 'gitea', apiUrl: 'https://codeberg.example.org/api/v1', project: 'shop/api', tokens: [] },
      },
    },
  },
  'Woodpecker, pull request from the main branch of a fork': {
    env: {
      CI: 'woodpecker',
      CI_REPO: 'shop/api',
      CI_COMMIT_SHA: 'a1',
      CI_COMMIT_BRANCH: 'main',
      CI_COMMIT_SOURCE_BRANCH: 'main',
      CI_COMMIT_TARGET_BRANCH: 'main',
      CI_COMMIT_PULL_REQUEST: '10',
    },
    run: {
      system: 'Woodpecker',
      project: 'shop/api',
      ref: 'refs/pull/10/head',
      commit: 'a1',
      targetRef: 'main',
      change: { number: '10' },
    },
  },
  'Azure Pipelines, push to Azure Repos': {
    env: {
      TF_BUILD: 'True',
      SYSTEM_TEAMPROJECT: 'Web Shop',
      BUILD_REPOSITORY_NAME: 'api',
      BUILD_REPOSITORY_PROVIDER: 'TfsGit',
      BUILD_SOURCEBRANCH: 'refs/heads/feature/login',
      BUILD_SOURCEVERSION: 'a1',
    },
    run: { system: 'Azure Pipelines', project: 'Web-Shop/api', ref: 'feature/login', commit: 'a1' },
  },
  'Azure Pipelines, pull request on GitHub': {
    env: {
      TF_BUILD: 'True',
      SYSTEM_TEAMPROJECT: 'Web Shop',
      BUILD_REPOSITORY_NAME: 'shop/api',
      BUILD_REPOSITORY_PROVIDER: 'GitHub',
      BUILD_SOURCEBRANCH: 'refs/pull/5/merge',
      BUILD_SOURCEVERSION: 'merge',
      SYSTEM_PULLREQUEST_PULLREQUESTID: '900001',
      SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: '5',
      SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/feature/login',
      SYSTEM_PULLREQUEST_SOURCECOMMITID: 'b2',
      SYSTEM_PULLREQUEST_TARGETBRANCH: 'refs/heads/main',
      SYSTEM_PULLREQUEST_ISFORK: 'False',
    },
    run: {
      system: 'Azure Pipelines',
      project: 'shop/api',
      ref: 'feature/login',
      commit: 'b2',
      targetRef: 'main',
      change: {
        number: '5',
        forge: { kind: 'github', apiUrl: 'https://api.github.com', project: 'shop/api', tokens: [] },
      },
    },
  },
  'Bitbucket Pipelines, pull request': {
    env: {
      CI: 'true',
      BITBUCKET_BUILD_NUMBER: '31',
      BITBUCKET_REPO_FULL_NAME: 'shop/api',
      BITBUCKET_BRANCH: 'feature/login',
      BITBUCKET_COMMIT: 'a1',
      BITBUCKET_PR_ID: '6',
      BITBUCKET_PR_DESTINATION_BRANCH: 'main',
    },
    run: {
      system: 'Bitbucket Pipelines',
      project: 'shop/api',
      ref: 'feature/login',
      commit: 'a1',
      targetRef: 'main',
      change: { number: '6' },
    },
  },
  'Bitbucket Pipelines, tag': {
    env: {
      BITBUCKET_BUILD_NUMBER: '32',
      BITBUCKET_REPO_FULL_NAME: 'shop/api',
      BITBUCKET_TAG: 'v1',
      BITBUCKET_COMMIT: 'a1',
    },
    run: { system: 'Bitbucket Pipelines', project: 'shop/api', ref: 'v1', commit: 'a1' },
  },
} satisfies Record<string, { env: Record<string, string>; run: object }>

test.each(Object.entries(recorded))('the environment of %s is read', (_, { env, run }) => {
  expect(readCiRun(env)).toEqual(run)
})

test('outside of a CI system there is no run', () => {
  expect(readCiRun({ CI: 'true', HOME: '/root' })).toBeUndefined()
})

describe('a pull request of GitHub Actions', () => {
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: 'https://api.github.com',
    GITHUB_REPOSITORY: 'shop/api',
    GITHUB_REF: 'refs/pull/12/merge',
    GITHUB_HEAD_REF: 'main-copy',
    GITHUB_BASE_REF: 'main',
    GITHUB_SHA: 'merge',
  }
  const read = async (headProject: string) => {
    const event = { pull_request: { number: 12, head: { sha: 'b2', repo: { full_name: headProject } } } }
    const place = await folder({ 'event.json': JSON.stringify(event) })
    return readCiRun({ ...env, GITHUB_EVENT_PATH: join(place, 'event.json') })
  }

  test('has the commit of the source branch, which the merge commit is not', async () => {
    expect(await read('shop/api')).toMatchObject({ ref: 'main-copy', commit: 'b2', change: { number: '12' } })
  })

  test('from a fork never reports for a branch of the repository', async () => {
    expect(await read('someone/api')).toMatchObject({ ref: 'refs/pull/12/head', targetRef: 'main' })
  })

  test('is read without the file of the event', () => {
    expect(readCiRun({ ...env, GITHUB_EVENT_PATH: '/absent' })).toMatchObject({ ref: 'main-copy', commit: 'merge' })
  })
})
