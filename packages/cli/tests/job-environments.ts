/** Variables of a job for a push to main and for the change 12 from feature/login, by CI system. */
export const jobEnvironments: Record<
  string,
  (job: { project: string; forgeUrl: string; isChange: boolean }) => Record<string, string>
> = {
  gitlab: ({ project, forgeUrl, isChange }) => ({
    GITLAB_CI: 'true',
    CI_API_V4_URL: forgeUrl,
    CI_PROJECT_PATH: project,
    CI_COMMIT_REF_NAME: isChange ? 'feature/login' : 'main',
    CI_COMMIT_SHA: 'a1',
    CI_JOB_TOKEN: 'job',
    ...(isChange && {
      CI_MERGE_REQUEST_IID: '12',
      CI_MERGE_REQUEST_PROJECT_PATH: project,
      CI_MERGE_REQUEST_SOURCE_PROJECT_PATH: project,
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'feature/login',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    }),
  }),
  github: ({ project, forgeUrl, isChange }) => ({
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: forgeUrl,
    GITHUB_REPOSITORY: project,
    GITHUB_REF: isChange ? 'refs/pull/12/merge' : 'refs/heads/main',
    GITHUB_REF_NAME: isChange ? '12/merge' : 'main',
    GITHUB_HEAD_REF: isChange ? 'feature/login' : '',
    GITHUB_BASE_REF: isChange ? 'main' : '',
    GITHUB_SHA: 'a1',
    GITHUB_TOKEN: 'job',
    GITHUB_STEP_SUMMARY: 'step-summary.md',
  }),
  gitea: (job) => ({ ...githubOf(job), GITEA_ACTIONS: 'true', ALCOVE_NOTE_TOKEN: 'job' }),
  jenkins: ({ project, isChange }) => ({
    JENKINS_URL: 'https://jenkins.example.com/',
    BRANCH_NAME: isChange ? 'PR-12' : 'main',
    GIT_COMMIT: 'a1',
    GIT_URL: `https://git.example.com/${project}.git`,
    ...(isChange && { CHANGE_ID: '12', CHANGE_BRANCH: 'feature/login', CHANGE_TARGET: 'main' }),
  }),
  woodpecker: ({ project, isChange }) => ({
    CI: 'woodpecker',
    CI_REPO: project,
    CI_COMMIT_BRANCH: 'main',
    CI_COMMIT_SHA: 'a1',
    ...(isChange && {
      CI_COMMIT_PULL_REQUEST: '12',
      CI_COMMIT_SOURCE_BRANCH: 'feature/login',
      CI_COMMIT_TARGET_BRANCH: 'main',
    }),
  }),
  azure: ({ project, isChange }) => ({
    TF_BUILD: 'True',
    BUILD_REPOSITORY_NAME: project.split('/').at(-1) ?? '',
    SYSTEM_TEAMPROJECT: project.split('/')[0] ?? '',
    BUILD_REPOSITORY_PROVIDER: 'TfsGit',
    BUILD_SOURCEBRANCH: isChange ? 'refs/pull/12/merge' : 'refs/heads/main',
    BUILD_SOURCEVERSION: 'a1',
    ...(isChange && {
      SYSTEM_PULLREQUEST_PULLREQUESTID: '12',
      SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/feature/login',
      SYSTEM_PULLREQUEST_TARGETBRANCH: 'refs/heads/main',
    }),
  }),
  bitbucket: ({ project, isChange }) => ({
    BITBUCKET_BUILD_NUMBER: '1',
    BITBUCKET_REPO_FULL_NAME: project,
    BITBUCKET_BRANCH: isChange ? 'feature/login' : 'main',
    BITBUCKET_COMMIT: 'a1',
    ...(isChange && { BITBUCKET_PR_ID: '12', BITBUCKET_PR_DESTINATION_BRANCH: 'main' }),
  }),
}

function githubOf(job: Parameters<(typeof jobEnvironments)[string]>[0]): Record<string, string> {
  return jobEnvironments['github']?.(job) ?? {}
}
