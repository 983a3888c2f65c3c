import { counted } from '../../components/format.ts'

/** Texts of the UI. */
export const texts = {
  detection: 'Detection',
  availabilityOfAFix: 'Availability of a fix',
  dueDates: 'Due dates',
  daysUntilOpenVulnerabilities:
    'Days until open vulnerabilities are due, by severity. The closest policy applies: the project, the groups above, then the instance.',
  settingsSections: 'Settings sections',
  theLastUpdateOfDue: 'The last update of due dates failed.',
  of: (done: string, total: string) => `: ${done} of ${total}`,
  dueDatesAreBeing: (total: string) => `Due dates are being updated${total}.`,
  aGroupAbove: 'a group above',
  theInstance: 'the instance',
  thePolicyOfApplies: (level: string, describe: string) => `The policy of ${level} applies: ${describe}.`,
  thereIsNoPolicy: 'There is no policy, so vulnerabilities have no due dates unless users set them.',
  policy: 'Policy',
  setAPolicy: 'Set a policy',
  days: (days: number) => counted(days, 'day'),
  noDueDates: 'no due dates',
  policySavedDueDates: 'Policy saved. Due dates are being updated.',
  policyRemoved: 'Policy removed.',
  savePolicy: 'Save policy',
  preview: 'Preview',
  removePolicy: 'Remove policy',
  countedFrom: 'Counted from',
  daysSeverity: (severity: string) => `${severity}: days`,
  leaveAFieldEmpty: 'Leave a field empty for no due date. Dates that users have set stay.',
  removeTheDueDate: 'Remove the due date policy?',
  thePolicyOfTheNext:
    'The policy of the next level applies then. Without one, the due dates that the policy has set are removed.',
  nothingIsSavedYet: (projects: string) => `Nothing is saved yet. Projects without a closer policy: ${projects}.`,
  severity: 'Severity',
  open: 'Open',
  newDueDate: 'New due date',
  overdueNow: 'Overdue now',
  overdueThen: 'Overdue then',
}
