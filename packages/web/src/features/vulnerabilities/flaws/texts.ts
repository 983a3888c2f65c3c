/** Texts of the UI. */
export const texts = {
  undidThe: (undone: string) => `Undid the ${undone}.`,
  splitFromTheirRow: (size: string) => `Split ${size} from their row`,
  joinedInOneRow: (size: string) => `Joined ${size} in one row`,
  selectAtLeastOne: 'Select at least one vulnerability.',
  leaveAtLeastOne: 'Leave at least one in the row.',
  splitRow: 'Split row',
  selectWhatIsNotItBecomes: (title: string, kind: string) =>
    `Select what is not “${title}”. It becomes a row of its own in this ${kind}, also after later reports. You can undo this.`,
  vulnerabilitiesOfTheRow: 'Vulnerabilities of the row',
  showsTheFirstVulnerabilities: (maxShown: number) => `Showing the first ${maxShown} vulnerabilities.`,
  join2Rows: 'Join 2 rows',
  allVulnerabilitiesOfBoth: (kind: string) =>
    `All vulnerabilities of both rows become one row in this ${kind}, including those that the filter hides and those of later reports. You can undo this.`,
  changesOfThisNewest: (kind: string) =>
    `Changes of this ${kind}, newest first. Other projects and groups have their own.`,
  noRowWasSplit: 'No row was split or joined.',
  change: 'Change',
  author: 'Author',
  time: 'Time',
  unknownUser: 'Unknown user',
  undone: 'Undone',
  undoChange: (change: string) => `Undo: ${change}`,
  showsTheNewestChanges: (maxShown: number) => `Shows the newest ${maxShown} changes.`,
}
