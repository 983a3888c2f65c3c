/** Texts of the UI. */
export const texts = {
  help: 'Help',
  keyboardShortcuts: 'Keyboard shortcuts',
  shortcutsWorkInLists:
    'They work in lists of vulnerabilities, and anywhere on the page unless you limit them in {link}.',
  displaySettings: 'Display settings',
  api: 'API',
  theApiIsCompatible:
    'Alcove implements GitLab’s REST API for uploads, topics and vulnerabilities. {link} describes each operation.',
  apiReference: 'The API reference',
  openapiDocument: 'OpenAPI document',
  commandLine: 'Command line',
  sendReportsFromPipelines:
    'Uploads reports from pipelines, exports and imports data, and runs checks. It needs Node.js, but no package registry:',
  npxHelp: (origin: string) => `npx --yes ${origin}/-/alcove.tgz help`,
  copyCommand: 'Copy command',
  documentation: 'Documentation',
  operatorsFindTheDocuments:
    'The documentation for operators is in the folder docs/operating of the package: setup, settings, backups and upgrades.',
  whatsNew: 'What’s new',
  changesByArea: 'Changes for users, API clients and operators.',
}
