import { counted } from '../../components/format.ts'

/** Texts of the UI. */
export const texts = {
  projects: 'Projects',
  archived: 'Archived',
  stars: 'Stars:',
  lastActivity: 'Last activity',
  newest: 'Newest',
  name: 'Name',
  mostStars: 'Most stars',
  searchProjects: 'Search projects',
  sortBy: 'Sort by',
  noProjects: 'No projects',
  noProjectsMatchYourSearch: 'No projects match your search.',
  notScanned: 'Not scanned',
  stale: 'Stale',
  needsTriage: 'Needs triage',
  exportAlcoveUrlAlcove: (origin: string, token: string) => `export ALCOVE_URL=${origin} ALCOVE_TOKEN=${token}`,
  npxYesAlcoveTgz: (origin: string, path: string) =>
    `npx --yes ${origin}/-/alcove.tgz upload --project ${path} --ref main report.json`,
  curlHeaderPrivateToken: 'curl --header "PRIVATE-TOKEN: $ALCOVE_TOKEN" --form file=@report.json \\',
  formCreateTrue: '--form create=true ',
  githubActions: 'GitHub Actions',
  gitlabCi: 'GitLab CI',
  giteaActions: 'Gitea Actions',
  jenkins: 'Jenkins',
  jenkinsfile: 'Jenkinsfile',
  storeTheTokenAsTheSecret: 'Store the token as the secret ALCOVE_TOKEN of the repository.',
  storeTheTokenAsTheMasked: 'Store the token as the masked CI/CD variable ALCOVE_TOKEN.',
  storeTheTokenAsACredential: 'Store the token as a credential of the kind “Secret text” with the ID alcove-token.',
  npxYesAlcoveUrl: (project: string) => `npx --yes "$ALCOVE_URL/-/alcove.tgz" upload --project ${project} report.json`,
  onPushBranchesMain: (runner: string, origin: string, upload: string) => `on:
  push:
    branches: [main]
  pull_request:
jobs:
  security:
    runs-on: ${runner}
    env:
      ALCOVE_URL: ${origin}
      ALCOVE_TOKEN: \${{ secrets.ALCOVE_TOKEN }}
    steps:
      - uses: actions/checkout@v4
      # Run your scanner here, so that it writes report.json.
      - run: ${upload}`,
  securityReportImageNode: (origin: string, upload: string) => `security-report:
  image: node:24
  variables:
    ALCOVE_URL: ${origin}
  script:
    # Run your scanner here, so that it writes report.json.
    - ${upload}`,
  pipelineAgentAnyEnvironment: (origin: string, upload: string) => `pipeline {
  agent any
  environment {
    ALCOVE_URL = '${origin}'
    ALCOVE_TOKEN = credentials('alcove-token')
  }
  stages {
    stage('Security report') {
      steps {
        // Run your scanner here, so that it writes report.json.
        sh '${upload}'
      }
    }
  }
}`,
  orSendAReport: 'Or send a report from a pipeline or a terminal:',
  commandLine: 'Command line',
  curl: 'curl',
  createToken: 'Create token',
  theScopeIsEnough: 'The scope {code} is enough.',
  pipeline: 'Pipeline',
  addThisTo: 'Add this to {code}. {secretOf}',
  copyExample: (label: string) => `Copy ${label} example`,
  personalNamespaceOrGroup: 'Personal namespace or group',
  groupsCouldNotBeLoaded: 'Groups could not be loaded. Try again later.',
  noMatchingNamespaceThatYou: 'No matching namespace that you have access to.',
  yours: 'yours',
  waitingForTheFirst: 'Waiting for the first report…',
  theLastReportFailed: 'The last report failed.',
  waitingForAnotherOne: '{link} Waiting for another one…',
  aReportHasArrived: 'A report has arrived and is being read…',
  firstReport: 'First report',
  finding: (found: number) => counted(found, 'finding'),
  vulnerabilities: (promoted: number) => counted(promoted, 'vulnerability', 'vulnerabilities'),
  startTriage: 'Start triage',
  or: ' or ',
  viewTheReport: 'view the report',
  viewTheReport2: 'View the report',
  theFirstReportHas: 'The first report has arrived: {found}{promoted}. {found2}{found3}{link}.',
}
