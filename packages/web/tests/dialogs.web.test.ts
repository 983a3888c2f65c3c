import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const source = fileURLToPath(new URL('../src/', import.meta.url))
const testFile = (name: string) => fileURLToPath(new URL(`./${name}.web.test.ts`, import.meta.url))

/**
 * Number of dialogs in each file of the UI, and where axe checks them while they are open: in the tour of all screens, or in the test
 * with this name, because they need data or a device that the tour does not have.
 */
const checked: Readonly<Record<string, readonly [dialogs: number, test: string]>> = {
  'app/confirm-identity.tsx': [2, 'account'],
  'features/access-tokens/trust-form.tsx': [1, 'tour'],
  'features/access-tokens/trust-relations.tsx': [1, 'access-tokens'],
  'features/account/two-factor/authenticator-app.tsx': [2, 'two-factor'],
  'features/account/two-factor/passkeys.tsx': [3, 'two-factor'],
  'features/account/two-factor/recovery-codes.tsx': [1, 'two-factor'],
  'features/admin/organizations.tsx': [1, 'tour'],
  'features/admin/password-link.tsx': [1, 'admin'],
  'features/admin/placeholder/placeholder.tsx': [1, 'admin'],
  'features/admin/quarantine.tsx': [2, 'upload-scans'],
  'features/admin/token-table.tsx': [1, 'tour'],
  'features/admin/topics/merge-dialog.tsx': [1, 'tour'],
  'features/admin/topics/merges.tsx': [1, 'tour'],
  'features/admin/topics/proposals.tsx': [2, 'project-topics'],
  'features/admin/topics/topic-page.tsx': [1, 'tour'],
  'features/admin/user-identities.tsx': [1, 'provider-sign-in'],
  'features/admin/user-states.tsx': [2, 'tour'],
  'features/admin/user-tokens.tsx': [2, 'tour'],
  'features/admin/user-two-factor.tsx': [1, 'two-factor'],
  'features/api-docs/try-it.tsx': [1, 'api-docs'],
  'features/approvals/requests.tsx': [1, 'approvals'],
  'features/dismissal-templates/templates.tsx': [1, 'tour'],
  'features/due-dates/due-dates.tsx': [1, 'tour'],
  'features/group/settings.tsx': [1, 'tour'],
  'features/issue-tracker/issue-tracker.tsx': [1, 'issue-trackers'],
  'features/issue-tracker/tracker-events.tsx': [1, 'issue-trackers'],
  'features/project/settings/danger-zone.tsx': [2, 'tour'],
  'features/project/settings/project-files.tsx': [1, 'project'],
  'features/project/settings/transfer.tsx': [1, 'tour'],
  'features/report-mappings/report-mappings.tsx': [1, 'report-mappings'],
  'features/reports/branches.tsx': [1, 'reports'],
  'features/search/search-dialog.tsx': [1, 'tour'],
  'features/uploads/links/links-dialog.tsx': [2, 'upload-links'],
  'features/uploads/preview/preview.tsx': [1, 'upload-preview'],
  'features/vulnerabilities/flaws/flaw-changes-dialog.tsx': [1, 'flaws'],
  'features/vulnerabilities/flaws/join-dialog.tsx': [1, 'flaws'],
  'features/vulnerabilities/flaws/split-dialog.tsx': [1, 'flaws'],
  'features/vulnerabilities/grid/view-options-dialog.tsx': [1, 'tour'],
  'features/vulnerabilities/triage/dialogs/accept-all.tsx': [2, 'dashboard'],
  'features/vulnerabilities/triage/dialogs/action-dialog.tsx': [1, 'tour'],
  'features/vulnerabilities/triage/dialogs/assign-dialog.tsx': [1, 'tour'],
  'features/vulnerabilities/triage/dialogs/create-issues.tsx': [1, 'issue-trackers'],
  'features/vulnerabilities/triage/dialogs/keys-dialog.tsx': [1, 'tour'],
  'features/vulnerabilities/triage/dialogs/promotion-dialog.tsx': [2, 'findings'],
  'features/vulnerabilities/views/view-dialogs.tsx': [3, 'saved-views'],
  'features/vulnerability-rules/rules.tsx': [1, 'tour'],
  'features/vulnerability/assignee.tsx': [1, 'tour'],
  'features/vulnerability/due-date.tsx': [1, 'tour'],
  'features/vulnerability/history.tsx': [1, 'vulnerability'],
  'features/vulnerability/severity.tsx': [1, 'tour'],
  'features/vulnerability/transitions.tsx': [1, 'tour'],
  'features/webhooks/hook-page.tsx': [1, 'tour'],
  'nouns/member/invitation-dialogs.tsx': [4, 'invite-members'],
  'nouns/member/invite-members.tsx': [1, 'tour'],
  'nouns/member/member-dialogs.tsx': [2, 'tour'],
  'nouns/member/members.tsx': [1, 'tour'],
  'nouns/mirror/mirror-notice.tsx': [1, 'archived'],
  'nouns/token/create-token.tsx': [1, 'tour'],
  'nouns/token/token-list.tsx': [2, 'tour'],
  'nouns/topic/propose-topic.tsx': [1, 'project-topics'],
  'nouns/vulnerability/export-dialog.tsx': [1, 'tour'],
  'nouns/vulnerability/tags-dialog.tsx': [1, 'tour'],
}

/** Returns the number of dialogs by file, without the components that dialogs are made of. */
function dialogsInSource(): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.tsx') || file.startsWith('components/overlay/')) continue
    const found = readFileSync(source + file, 'utf8').match(/<(?:Dialog|ConfirmDialog|TypedConfirm|Dialog\.Popup)\s/g)
    if (found) counts[file] = found.length
  }
  return counts
}

test('axe checks every dialog of the UI while it is open', () => {
  const declared = Object.fromEntries(Object.entries(checked).map(([file, [dialogs]]) => [file, dialogs]))
  expect(dialogsInSource()).toEqual(declared)
})

test.each([...new Set(Object.values(checked).map(([, test]) => test))].filter((name) => name !== 'tour'))(
  'the test %s opens dialogs and checks them with axe',
  (name) => {
    expect(existsSync(testFile(name))).toBe(true)
    const text = readFileSync(testFile(name), 'utf8')
    expect(text).toContain('accessProblems(')
    expect(text).toMatch(/dialog/i)
  },
)
