/** CI systems with an example, in the order of the menu. */
export const pipelines = ['GitHub Actions', 'GitLab CI', 'Gitea Actions', 'Jenkins'] as const
export type Pipeline = (typeof pipelines)[number]

/** Returns the file of the repository that an example belongs to. */
export const fileOf: Readonly<Record<Pipeline, string>> = {
  'GitHub Actions': '.github/workflows/security.yml',
  'GitLab CI': '.gitlab-ci.yml',
  'Gitea Actions': '.gitea/workflows/security.yml',
  Jenkins: 'Jenkinsfile',
}

/** Returns where the token is stored. The example never contains it, because the file is in the repository. */
export const secretOf: Readonly<Record<Pipeline, string>> = {
  'GitHub Actions': 'Store the token as the secret ALCOVE_TOKEN of the repository.',
  'GitLab CI': 'Store the token as the masked CI/CD variable ALCOVE_TOKEN.',
  'Gitea Actions': 'Store the token as the secret ALCOVE_TOKEN of the repository.',
  Jenkins: 'Store the token as a credential of the kind “Secret text” with the ID alcove-token.',
}

/** Returns an example that sends a report with the command line of this server. */
export function pipelineSnippet(pipeline: Pipeline, project: string): string {
  const upload = `npx --yes "$ALCOVE_URL/-/alcove.tgz" upload --project ${project} report.json`
  if (pipeline === 'GitLab CI') return gitlab(upload)
  if (pipeline === 'Jenkins') return jenkins(upload)
  return actions(upload, pipeline === 'GitHub Actions' ? 'ubuntu-latest' : 'docker')
}

const actions = (upload: string, runner: string) => `on:
  push:
    branches: [main]
  pull_request:
jobs:
  security:
    runs-on: ${runner}
    env:
      ALCOVE_URL: ${location.origin}
      ALCOVE_TOKEN: \${{ secrets.ALCOVE_TOKEN }}
    steps:
      - uses: actions/checkout@v4
      # Run your scanner here, so that it writes report.json.
      - run: ${upload}`

const gitlab = (upload: string) => `security-report:
  image: node:24
  variables:
    ALCOVE_URL: ${location.origin}
  script:
    # Run your scanner here, so that it writes report.json.
    - ${upload}`

const jenkins = (upload: string) => `pipeline {
  agent any
  environment {
    ALCOVE_URL = '${location.origin}'
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
}`
