import { counted } from '../../../../components/format.ts'

/** Texts of the UI. */
export const texts = {
  forAGroupSelect: (maxInGroup: number) =>
    `For a group, select at most ${maxInGroup} vulnerabilities, or create a rule.`,
  appliesTo: 'Applies to',
  allBranches: 'All branches',
  thisBranch: (name: string) => `This branch: ${name}`,
  checkingWhatItWould: 'Checking what it would change …',
  dismissesSelectedVulnerabilities: (changed: number) =>
    `Dismisses ${counted(changed, 'selected vulnerability', 'selected vulnerabilities')}.`,
  vulnerabilitiesInGroup: (inGroup: number) => counted(inGroup, 'vulnerability', 'vulnerabilities'),
  withTheSameFlaws: (total: string) =>
    `Including the same flaws in other projects and branches of the group, this changes ${total} now, and applies to later reports.`,
  unchangedAlreadyDismissedOrInNeed: (unchanged: string) =>
    `${unchanged} unchanged: already dismissed, or approval is required.`,
  skippedBecauseYouMay: (paths: string) => `Skipped because you cannot triage there: ${paths}.`,
  comment: 'Comment',
  optionalVisibleToEveryone: 'Optional. Visible to everyone who can read these vulnerabilities.',
  nothingWasChangedAnyway: (text: string, label: string) => `Nothing was changed. ${text} ${label} anyway?`,
  updating: (many: string) => `Updating ${many} …`,
  checkingWhichProjectsYou: 'Checking which projects you can triage …',
  vulnerabilitiesSelected: (selected: number) => counted(selected, 'vulnerability', 'vulnerabilities'),
  archived: ' (archived)',
  changesVulnerabilitiesInProject: (changed: number, projects: number) =>
    `Changes ${counted(changed, 'vulnerability', 'vulnerabilities')} in ${counted(projects, 'project')}.`,
  alreadyInThisStateUnchanged: (unchanged: string) => `${unchanged} already in this state.`,
  skipsProjectWhereYou: (skipped: number) => `Skips ${counted(skipped, 'project')} where you cannot triage:`,
  assignTarget: (target: string) => `Assign: ${target}`,
  acceptPromotion: (promotion: string) => `Accept ${promotion}?`,
  createsOneVulnerabilityPer:
    'Creates one vulnerability per finding: all of them or none. This cannot be undone, but vulnerabilities can be dismissed.',
  acceptingFinding: (total: number) => `Accepting ${counted(total, 'finding')}`,
  youCanCloseThisDialog: 'You can close this dialog. The process continues in the background.',
  creatingVulnerabilities: 'Creating vulnerabilities',
  allMatchingFindings: 'all matching findings',
  createIssues: 'Create issues',
  createIssues2: 'Create issues?',
  eachVulnerabilityGetsAnIssue:
    'Creates one issue for each vulnerability that does not have one yet. The issues are created in the background.',
  whatWillBeCreated: 'What will be created',
  noIssuesCanBeCreated: (part: string, problem: string) => `${part}No issues can be created. ${problem}`,
  newIssueIn: (part: string, requested: number, place: string, unchanged: string) =>
    `${part}${counted(requested, 'new issue')} in ${place}.${unchanged}`,
  noIssuesWereCreated: (part: string, problem: string) => `${part}No issues were created: ${problem}`,
  issueRequested: (part: string, requested: number, unchanged: string) =>
    `${part}${counted(requested, 'issue')} requested.${unchanged}`,
  vulnerabilitiesAlreadyHaveOne: (count: number) =>
    ` ${counted(count, 'vulnerability already has', 'vulnerabilities already have')} one.`,
  acceptAll: 'Accept all',
  acceptAllFindings: 'Accept all findings?',
  createsOneVulnerabilityPerWaiting: (waiting: undefined | string) =>
    `${waiting}. Creates one vulnerability per finding in each project where you can triage. This cannot be undone, but vulnerabilities can be dismissed.`,
  findingsAccepted: 'Findings accepted',
  projectCount: (count: number) => counted(count, 'project'),
  vulnerabilitiesCreatedIn: (promoted: number, projects: string) =>
    `${counted(promoted, 'vulnerability', 'vulnerabilities')} created in ${projects}.`,
  theseProjectsFailedTheir: 'These projects failed. Their other findings still need triage:',
  theseProjectsAreArchived: 'These projects are archived. Unarchive them first:',
  youMayNotTriage: 'You cannot triage in these projects:',
  upArrow: 'Up arrow',
  downArrow: 'Down arrow',
  enableShortcutsPageWide: 'Enable shortcuts page-wide',
  otherwiseShortcutsWorkOnly: 'Otherwise shortcuts work only while the list has focus.',
}
