/** Texts of the UI. */
export const texts = {
  help: 'Help',
  keyboardShortcuts: 'Keyboard shortcuts',
  shortcutsWorkInLists: 'In lists of vulnerabilities, and on the whole page unless you limit them in {link}.',
  displaySettings: 'Display',
  api: 'API',
  theApiIsCompatible:
    'Alcove has the REST API of GitLab for uploads, topics and vulnerabilities. {link} describes each operation.',
  apiReference: 'The API reference',
  openapiDocument: 'OpenAPI document',
  commandLine: 'Command line',
  sendReportsFromPipelines:
    'Sends reports from pipelines, exports, imports and checks. It needs Node.js, and no registry:',
  npxHelp: (origin: string) => `npx --yes ${origin}/-/alcove.tgz help`,
  copyCommand: 'Copy command',
  documentation: 'Documentation',
  operatorsFindTheDocuments:
    'Operators find the documentation beside the program, in the folder docs/operating of its package: set-up, settings, backups and upgrades.',
  whatsNew: 'What’s new',
  changesByArea: 'What has changed for users, callers of the API and operators.',
}
