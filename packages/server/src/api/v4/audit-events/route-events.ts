import type { AuditEventName } from '../../../domain/audit/event-name.ts'

/** Events that a route records when it changes something, or the reason why it records none. */
type RecordedEvents = readonly [AuditEventName, ...AuditEventName[]] | { none: string }

const none = (reason: string): RecordedEvents => ({ none: reason })

const reads = none('changes nothing')
const rowRecords = none('its own row records author and time')
const personal = none('concerns only what its user sees or receives')
const setUp = none('begins a step whose completion is recorded')
const delivery = none('sends what the settings say; deliveries have rows of their own')

const accountRoutes: Readonly<Record<string, RecordedEvents>> = {
  'POST /-/sessions': ['user_signed_in', 'login_failed_with_standard_authentication'],
  'POST /-/sessions/second_factor': ['user_signed_in', 'login_failed_with_standard_authentication'],
  'POST /-/sessions/passkey': ['user_signed_in', 'login_failed_with_standard_authentication'],
  'DELETE /-/sessions': ['user_signed_out'],
  'DELETE /-/sessions/:id': ['user_signed_out'],
  'DELETE /-/sessions/others': ['user_sessions_revoked'],
  'DELETE /users/:id/sessions': ['user_sessions_revoked'],
  'POST /-/sign_ins/:id/dismiss': personal,
  'POST /-/sessions/confirm': none('gives no rights; wrong passwords are in the log of the process'),
  'POST /-/sessions/admin_mode': ['admin_mode_entered'],
  'DELETE /-/sessions/admin_mode': ['admin_mode_left'],
  'PUT /-/password': ['user_password_updated'],
  'POST /-/password': ['user_password_updated', 'user_signed_in', 'login_failed_with_standard_authentication'],
  'POST /-/password_links': none('its job records the link that it creates'),
  'POST /users/:id/password_links': ['user_password_link_created'],
  'POST /-/passkeys/challenge': setUp,
  'POST /-/second_factors/totp': setUp,
  'PUT /-/second_factors/totp': ['second_factor_added'],
  'DELETE /-/second_factors/totp': ['second_factor_removed'],
  'POST /-/second_factors/recovery_codes': ['recovery_codes_replaced'],
  'POST /-/passkeys/options': setUp,
  'POST /-/passkeys': ['second_factor_added'],
  'PUT /-/passkeys/:id': personal,
  'DELETE /-/passkeys/:id': ['second_factor_removed'],
  'PATCH /users/:id/disable_two_factor': ['user_disable_two_factor'],
  'DELETE /users/:id/identities/:provider': ['user_identity_unlinked'],
  'POST /-/oidc/:provider': setUp,
  'POST /-/oidc/:provider/backchannel_logout': ['user_sessions_revoked'],
  'POST /users': ['user_created', 'user_password_link_created'],
  'PUT /users/:id': ['user_updated', 'user_password_updated'],
  'DELETE /users/:id': ['user_destroyed'],
  'POST /users/:id/block': ['user_blocked'],
  'POST /users/:id/unblock': ['user_unblocked'],
  'POST /users/:id/ban': ['user_banned'],
  'POST /users/:id/unban': ['user_unbanned'],
  'POST /users/:id/deactivate': ['user_deactivated'],
  'POST /users/:id/activate': ['user_activated'],
  'PUT /user/notification_settings': personal,
  'POST /-/unsubscribe/:token': personal,
}

const tokenRoutes: Readonly<Record<string, RecordedEvents>> = {
  'POST /-/personal_access_tokens': ['personal_access_token_issued'],
  'POST /users/:user_id/personal_access_tokens': ['personal_access_token_issued'],
  'POST /user/personal_access_tokens': ['personal_access_token_issued'],
  'DELETE /personal_access_tokens/self': ['personal_access_token_revoked'],
  'DELETE /personal_access_tokens/:id': ['personal_access_token_revoked'],
  'POST /personal_access_tokens/self/rotate': ['personal_access_token_rotated'],
  'POST /personal_access_tokens/:id/rotate': ['personal_access_token_rotated'],
  'POST /users/:user_id/impersonation_tokens': ['personal_access_token_issued'],
  'DELETE /users/:user_id/impersonation_tokens/:id': ['personal_access_token_revoked'],
}

const placeRoutes: Readonly<Record<string, RecordedEvents>> = {
  'POST /organizations': ['organization_created'],
  'POST /groups': ['group_created'],
  'PUT /groups/:id': ['group_updated'],
  'POST /groups/:id/transfer': ['group_transferred'],
  'DELETE /groups/:id': ['group_destroyed'],
  'POST /projects': ['project_created'],
  'POST /projects/user/:user_id': ['project_created'],
  'PUT /projects/:id': ['project_updated'],
  'DELETE /projects/:id': ['project_destroyed'],
  'PUT /projects/:id/transfer': ['project_transferred'],
  'POST /projects/:id/archive': ['project_archived'],
  'POST /projects/:id/unarchive': ['project_unarchived'],
  'POST /projects/:id/star': personal,
  'POST /projects/:id/unstar': personal,
  'PUT /projects/:id/uploads/limits': ['project_updated'],
  'POST /-/invitations/open': reads,
  'POST /-/invitations/accept': ['invitation_accepted', 'member_created'],
  'POST /-/invitations/account': ['user_created', 'invitation_accepted', 'member_created', 'user_signed_in'],
  ...routesOfPlace('project'),
  ...routesOfPlace('group'),
  ...hookRoutes('/projects/:id/hooks'),
  ...hookRoutes('/groups/:id/hooks'),
  ...hookRoutes('/hooks'),
  'POST /hooks/:hook_id': delivery,
}

function routesOfPlace(kind: 'project' | 'group'): Readonly<Record<string, RecordedEvents>> {
  const base = `/${kind}s/:id`
  return {
    [`POST ${base}/members`]: ['member_created'],
    [`PUT ${base}/members/:user_id`]: ['member_updated'],
    [`DELETE ${base}/members/:user_id`]: ['member_destroyed'],
    [`POST ${base}/invitations`]: ['invitation_created', 'member_created'],
    [`PUT ${base}/invitations/:email`]: ['invitation_updated'],
    [`DELETE ${base}/invitations/:email`]: ['invitation_destroyed'],
    [`POST ${base}/invitations/:email/resend`]: ['invitation_link_replaced'],
    [`POST ${base}/access_tokens`]: [`${kind}_access_token_created`],
    [`POST ${base}/access_tokens/:token_id/rotate`]: ['personal_access_token_rotated'],
    [`POST ${base}/access_tokens/self/rotate`]: ['personal_access_token_rotated'],
    [`DELETE ${base}/access_tokens/:token_id`]: [`${kind}_access_token_deleted`],
    [`POST ${base}/trust_relations`]: ['trust_relation_created'],
    [`PUT ${base}/trust_relations/:relation_id`]: ['trust_relation_updated'],
    [`DELETE ${base}/trust_relations/:relation_id`]: ['trust_relation_destroyed'],
    [`PUT ${base}/issue_tracker`]: ['issue_tracker_created', 'issue_tracker_updated'],
    [`DELETE ${base}/issue_tracker`]: ['issue_tracker_destroyed'],
    [`POST ${base}/issue_tracker/test`]: reads,
    [`POST ${base}/issue_tracker/preview`]: reads,
    [`POST ${base}/issue_tracker/events_secret`]: ['issue_tracker_updated'],
    [`DELETE ${base}/issue_tracker/events_secret`]: ['issue_tracker_updated'],
    [`PUT ${base}/dismissal_approval`]: ['dismissal_approval_rule_created', 'dismissal_approval_rule_updated'],
    [`DELETE ${base}/dismissal_approval`]: ['dismissal_approval_rule_destroyed'],
    [`POST ${base}/vulnerability_rules`]: ['vulnerability_rule_created'],
    [`PUT ${base}/vulnerability_rules/:rule_id`]: ['vulnerability_rule_updated'],
    [`DELETE ${base}/vulnerability_rules/:rule_id`]: ['vulnerability_rule_destroyed'],
    [`POST ${base}/vulnerability_rules/preview`]: reads,
    [`PUT ${base}/due_date_policy`]: ['due_date_policy_created', 'due_date_policy_updated'],
    [`DELETE ${base}/due_date_policy`]: ['due_date_policy_destroyed'],
    [`POST ${base}/due_date_policy/preview`]: reads,
    [`POST ${base}/uploads`]: rowRecords,
    [`DELETE ${base}/uploads/:upload_id`]: ['upload_destroyed'],
    [`DELETE ${base}/uploads/:secret/:filename`]: ['upload_destroyed'],
    [`POST ${base}/uploads/:upload_id/restore`]: ['upload_restored'],
  }
}

function hookRoutes(base: string): Readonly<Record<string, RecordedEvents>> {
  return {
    [`POST ${base}`]: ['webhook_created'],
    [`PUT ${base}/:hook_id`]: ['webhook_updated'],
    [`DELETE ${base}/:hook_id`]: ['webhook_destroyed'],
    [`POST ${base}/:hook_id/test/:trigger`]: delivery,
    [`POST ${base}/:hook_id/events/:hook_event_id/resend`]: delivery,
    [`PUT ${base}/:hook_id/custom_headers/:key`]: ['webhook_updated'],
    [`DELETE ${base}/:hook_id/custom_headers/:key`]: ['webhook_updated'],
    [`PUT ${base}/:hook_id/url_variables/:key`]: ['webhook_updated'],
    [`DELETE ${base}/:hook_id/url_variables/:key`]: ['webhook_updated'],
  }
}

const topicRoutes: Readonly<Record<string, RecordedEvents>> = {
  'POST /topics': ['topic_created'],
  'PUT /topics/:id': ['topic_updated'],
  'DELETE /topics/:id': ['topic_destroyed'],
  'POST /topics/:id/aliases': ['topic_updated'],
  'DELETE /topics/:id/aliases': ['topic_updated'],
  'POST /topics/merge': ['topics_merged'],
  'POST /topics/merges/:id/undo': ['topic_merge_undone'],
  'POST /topics/import': ['topics_imported'],
}

/** A small selection is promoted at once, a larger one by a job. */
const promotion: RecordedEvents = ['vulnerabilities_promotion_requested', 'vulnerabilities_promoted']

const notes = '/projects/:id/vulnerabilities/:vulnerability_id/notes'

const securityRoutes: Readonly<Record<string, RecordedEvents>> = {
  'POST /projects/:id/security_reports': ['project_created', 'project_file_updated'],
  'DELETE /projects/:id/project_files/:name': ['project_file_destroyed'],
  'POST /projects/:id/security_reports/:report_id/absences/apply': ['security_report_absences_applied'],
  'POST /projects/:id/security_reports/:report_id/absences/discard': ['security_report_absences_discarded'],
  'DELETE /projects/:id/refs/:ref': ['ref_destroyed'],
  'POST /projects/:id/vulnerabilities': ['vulnerability_created'],
  'POST /projects/:id/vulnerability_finding_promotions': promotion,
  'POST /projects/:id/vulnerability_findings/bulk': promotion,
  'POST /groups/:id/vulnerability_finding_promotions': promotion,
  'POST /vulnerability_finding_promotions': promotion,
  'POST /vulnerabilities/:id/confirm': ['vulnerability_state_updated'],
  // Its mutations call the same rules as these routes, which record their events.
  'POST /graphql': ['vulnerability_state_updated'],
  'POST /vulnerabilities/:id/resolve': ['vulnerability_state_updated'],
  'POST /vulnerabilities/:id/dismiss': ['vulnerability_state_updated', 'vulnerability_dismissal_requested'],
  'POST /vulnerabilities/:id/revert': ['vulnerability_state_updated'],
  'PUT /vulnerabilities/:id/severity': ['vulnerability_severity_updated'],
  'DELETE /vulnerabilities/:id/severity': ['vulnerability_severity_updated'],
  'PUT /vulnerabilities/:id/due_date': ['vulnerability_due_date_updated'],
  'DELETE /vulnerabilities/:id/due_date': ['vulnerability_due_date_updated'],
  'POST /projects/:id/vulnerability_views': ['saved_view_created'],
  'PUT /projects/:id/vulnerability_views/:view_id': ['saved_view_updated'],
  'DELETE /projects/:id/vulnerability_views/:view_id': ['saved_view_destroyed'],
  'POST /groups/:id/vulnerability_views': ['saved_view_created'],
  'PUT /groups/:id/vulnerability_views/:view_id': ['saved_view_updated'],
  'DELETE /groups/:id/vulnerability_views/:view_id': ['saved_view_destroyed'],
  'POST /vulnerability_views': ['saved_view_created'],
  'PUT /vulnerability_views/:view_id': ['saved_view_updated'],
  'DELETE /vulnerability_views/:view_id': ['saved_view_destroyed'],
  'POST /projects/:id/vulnerability_views/:view_id/default': personal,
  'DELETE /projects/:id/vulnerability_views/:view_id/default': personal,
  'POST /groups/:id/vulnerability_views/:view_id/default': personal,
  'DELETE /groups/:id/vulnerability_views/:view_id/default': personal,
  'POST /vulnerability_views/:view_id/default': personal,
  'DELETE /vulnerability_views/:view_id/default': personal,
  'PUT /vulnerabilities/:id/assignee': ['vulnerability_assignee_updated'],
  'DELETE /vulnerabilities/:id/assignee': ['vulnerability_assignee_updated'],
  'PUT /vulnerabilities/:id/tags': ['vulnerability_tags_updated'],
  'POST /vulnerabilities/:id/tags': ['vulnerability_tags_updated'],
  'DELETE /vulnerabilities/:id/tags': ['vulnerability_tags_updated'],
  'POST /projects/:id/vex': ['vulnerabilities_bulk_updated'],
  'POST /projects/:id/dismissal_requests/:request_id/approve': ['vulnerability_dismissal_approved'],
  'POST /projects/:id/dismissal_requests/:request_id/reject': ['vulnerability_dismissal_rejected'],
  'POST /projects/:id/dismissal_requests/:request_id/withdraw': ['vulnerability_dismissal_withdrawn'],
  'POST /projects/:id/vulnerability_bulk_changes': ['vulnerabilities_bulk_updated'],
  'POST /projects/:id/vulnerability_bulk_changes/:bulk_id/undo': ['vulnerabilities_bulk_undone'],
  'POST /projects/:id/vulnerabilities/badge': ['vulnerability_badge_published'],
  'DELETE /projects/:id/vulnerabilities/badge': ['vulnerability_badge_revoked'],
  'POST /groups/:id/vulnerability_bulk_changes': ['vulnerabilities_bulk_updated'],
  'POST /vulnerability_bulk_changes': ['vulnerabilities_bulk_updated'],
  'POST /vulnerability_bulk_changes/:bulk_id/undo': ['vulnerabilities_bulk_undone'],
  'POST /projects/:id/vulnerabilities/bulk': ['vulnerabilities_bulk_updated'],
  'POST /projects/:id/vulnerabilities/bulk/:bulk_id/undo': ['vulnerabilities_bulk_undone'],
  [`POST ${notes}`]: rowRecords,
  [`PUT ${notes}/:note_id`]: rowRecords,
  [`DELETE ${notes}/:note_id`]: ['vulnerability_note_destroyed'],
  'POST /vulnerabilities/:id/issue_links': rowRecords,
  'DELETE /vulnerabilities/:id/issue_links/:issue_link_id': none('the history of the vulnerability records it'),
  'POST /vulnerabilities/:id/issue': rowRecords,
  'POST /issue_trackers/:tracker_id/events': none('only causes the state of an issue to be read'),
  'POST /projects/:id/vulnerabilities/issues': rowRecords,
  'POST /security/projects/:id/vulnerability_exports': ['vulnerability_export_created'],
  'POST /security/groups/:id/vulnerability_exports': ['vulnerability_export_created'],
  'POST /security/vulnerability_exports': ['vulnerability_export_created'],
}

/** Audit events of each route that changes something. Errors record none, except for failed sign-ins. */
export const routeEvents: Readonly<Record<string, RecordedEvents>> = {
  'POST /admin/jobs/:id/retry': none('repeats work that was requested before'),
  'POST /vulnerability_rules': ['vulnerability_rule_created'],
  'PUT /vulnerability_rules/:rule_id': ['vulnerability_rule_updated'],
  'DELETE /vulnerability_rules/:rule_id': ['vulnerability_rule_destroyed'],
  'POST /vulnerability_rules/preview': reads,
  'PUT /admin/due_date_policy': ['due_date_policy_created', 'due_date_policy_updated'],
  'DELETE /admin/due_date_policy': ['due_date_policy_destroyed'],
  'POST /admin/due_date_policy/preview': reads,
  'POST /markdown': reads,
  'POST /markdown/preview': reads,
  ...accountRoutes,
  ...tokenRoutes,
  ...placeRoutes,
  ...topicRoutes,
  ...securityRoutes,
}

/** Events that no route of the table records, with what does. */
export const eventsWithoutRoute: Readonly<Partial<Record<AuditEventName, string>>> = {
  user_sign_in_link_created: 'the command `alcove admin sign-in-link`',
  user_password_link_requested: 'the job of `POST /-/password_links`',
  user_identity_linked: 'the return from an identity provider, `GET /-/oidc/:provider/callback`',
  last_administrator_kept: 'the return from an identity provider, `GET /-/oidc/:provider/callback`',
  user_impersonation: 'the first request of an hour with `Sudo` or an impersonation token',
  upload_downloaded: 'downloads with `ALCOVE_AUDIT_DOWNLOADS=on`',
  vulnerability_export_downloaded: 'downloads with `ALCOVE_AUDIT_DOWNLOADS=on`',
  vulnerability_dismissal_expired: 'the periodic task that ends requests without a decision',
  vulnerability_dismissals_ended: 'the periodic task that ends dismissals, and imports',
  vulnerability_rules_replaced: 'the import of a report that was sent with a file of rules',
  audit_events_removed: 'the periodic task that removes old events',
}
