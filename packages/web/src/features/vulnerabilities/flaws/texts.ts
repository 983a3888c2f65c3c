/** Texts of the UI. */
export const texts = {
  undidThe: (undone: string) => `Undid the ${undone}.`,
  splitFromTheirRow: (size: string) => `Split ${size} into a separate row`,
  joinedInOneRow: (size: string) => `Joined ${size} into one row`,
  selectAtLeastOne: 'Select at least one vulnerability.',
  leaveAtLeastOne: 'Leave at least one in the row.',
  splitRow: 'Split row',
  selectWhatIsNotItBecomes: (title: string, kind: string) =>
    `Select the vulnerabilities that are not “${title}”. They become a separate row in this ${kind}, also for later reports. You can undo this.`,
  vulnerabilitiesOfTheRow: 'Vulnerabilities of the row',
  showsTheFirstVulnerabilities: (maxShown: number) => `Showing the first ${maxShown} vulnerabilities.`,
  join2Rows: 'Join 2 rows',
  allVulnerabilitiesOfBoth: (kind: string) =>
    `All vulnerabilities of both rows become one row in this ${kind}, including those that the filter hides and those of later reports. You can undo this.`,
  changesOfThisNewest: (kind: string) =>
    `Splits and joins in this ${kind}, newest first. They do not affect other projects and groups.`,
  noRowWasSplit: 'No row was split or joined.',
  change: 'Change',
  author: 'Author',
  time: 'Time',
  unknownUser: 'Unknown user',
  undone: 'Undone',
  undoChange: (change: string) => `Undo: ${change}`,
  showsTheNewestChanges: (maxShown: number) => `Showing the newest ${maxShown} changes.`,
}
