/** Texts of the UI. */
export const texts = {
  help: 'Help',
  keyboardShortcuts: 'Keyboard shortcuts',
  shortcutsWorkInLists:
    'Shortcuts work in lists of vulnerabilities. In {link}, choose whether they also work while a list does not have focus.',
  displaySettings: 'Display settings',
  api: 'API',
  theApiIsCompatible:
    'Alcove implements GitLab’s REST API for uploads, topics and vulnerabilities. {link} describes each operation.',
  apiReference: 'The API reference',
  openapiDocument: 'OpenAPI document',
  commandLine: 'Command line',
  sendReportsFromPipelines:
    'The command-line client uploads reports from pipelines, exports and imports data, and runs checks. It requires Node.js and is downloaded from this server:',
  npxHelp: (origin: string) => `npx --yes ${origin}/-/alcove.tgz help`,
  copyCommand: 'Copy command',
  documentation: 'Documentation',
  operatorsFindTheDocuments:
    'Documentation for operators (setup, settings, backups and upgrades) is in the docs/operating folder of the package.',
  whatsNew: 'What’s new',
  changesByArea: 'Changes for users, API clients and operators.',
}
