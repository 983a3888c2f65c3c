import type { Migration } from '../migrate.ts'
import { initial } from './0001_initial.ts'
import { occurrenceCategories } from './0043_occurrence_categories.ts'
import { rowVersions } from './0044_row_versions.ts'
import { bots } from './0047_bots.ts'
import { trustRelations } from './0048_trust_relations.ts'
import { groupPromotion } from './0049_group_promotion.ts'
import { fileDigests } from './0051_file_digests.ts'
import { heldAbsences } from './0052_held_absences.ts'
import { waitingFindings } from './0053_waiting_findings.ts'
import { groupHooks } from './0054_group_hooks.ts'
import { defaultBranchReports } from './0055_default_branch_reports.ts'
import { triageTriggers } from './0057_triage_triggers.ts'
import { identityProviders } from './0058_identity_providers.ts'
import { hookFormats } from './0059_hook_formats.ts'
import { mappedRights } from './0060_mapped_rights.ts'
import { providerLogout } from './0061_provider_logout.ts'
import { secondFactors } from './0062_second_factors.ts'
import { mail } from './0063_mail.ts'
import { invitations } from './0064_invitations.ts'
import { auditEvents } from './0065_audit_events.ts'
import { hookEvents } from './0066_hook_events.ts'
import { refs } from './0067_refs.ts'
import { issueTrackers } from './0068_issue_trackers.ts'
import { accountMail } from './0069_account_mail.ts'
import { auditStreams } from './0070_audit_streams.ts'
import { stoppedWork } from './0072_stopped_work.ts'
import { trackerEvents } from './0073_tracker_events.ts'
import { synchronizedIssues } from './0074_synchronized_issues.ts'
import { dueDates } from './0075_due_dates.ts'
import { dismissalEnds } from './0076_dismissal_ends.ts'
import { assignees } from './0077_assignees.ts'
import { savedViews } from './0078_saved_views.ts'
import { packageUrls } from './0079_package_urls.ts'
import { feeds } from './0080_feeds.ts'
import { priority } from './0081_priority.ts'
import { dismissalApproval } from './0082_dismissal_approval.ts'
import { scopeBulkChanges } from './0083_scope_bulk_changes.ts'
import { dependencies } from './0085_dependencies.ts'
import { reportFormat } from './0086_report_format.ts'
import { projectBadges } from './0087_project_badges.ts'
import { vulnerabilityRules } from './0088_vulnerability_rules.ts'
import { projectFiles } from './0090_project_files.ts'
import { sourceSuppressions } from './0091_source_suppressions.ts'
import { tags } from './0092_tags.ts'
import { refDismissals } from './0093_ref_dismissals.ts'
import { flawKeys } from './0094_flaw_keys.ts'
import { flawChanges } from './0095_flaw_changes.ts'
import { viewUses } from './0096_view_uses.ts'
import { reportSchedules } from './0097_report_schedules.ts'
import { reportMappings } from './0098_report_mappings.ts'
import { dismissalQueue } from './0099_dismissal_queue.ts'
import { dashboard } from './0100_dashboard.ts'
import { dueDateOrder } from './0101_due_date_order.ts'
import { groupDismissals } from './0104_group_dismissals.ts'
import { importedFindings } from './0111_imported_findings.ts'
import { userAttributes } from './0112_user_attributes.ts'
import { avatars } from './0113_avatars.ts'
import { customAttributes } from './0114_custom_attributes.ts'
import { uploadLinks } from './0115_upload_links.ts'
import { uploadReferences } from './0116_upload_references.ts'
import { resumableUploads } from './0117_resumable_uploads.ts'
import { topicProposals } from './0118_topic_proposals.ts'
import { uploadScans } from './0119_upload_scans.ts'
import { importSources } from './0120_import_sources.ts'
import { groupTopics } from './0122_group_topics.ts'
import { unfinishedUploads } from './0123_unfinished_uploads.ts'
import { findingFilters } from './0124_finding_filters.ts'
import { dismissalTemplates } from './0126_dismissal_templates.ts'
import { securityOverview } from './0128_security_overview.ts'
import { displaySettings } from './0129_display_settings.ts'
import { notificationReads } from './0132_notification_reads.ts'
import { activityAndFiles } from './0134_activity_and_files.ts'
import { numberFormat } from './0135_number_format.ts'
import { instanceOrders } from './0151_instance_orders.ts'
import { textTriggers } from './0163_text_triggers.ts'
import { uploadIndexes } from './0165_upload_indexes.ts'

/** Migrations in order. New ones are appended, with numbers after those that `initial` replaces. */
export const migrations: readonly Migration[] = [
  initial,
  occurrenceCategories,
  rowVersions,
  bots,
  trustRelations,
  groupPromotion,
  fileDigests,
  heldAbsences,
  waitingFindings,
  groupHooks,
  defaultBranchReports,
  triageTriggers,
  identityProviders,
  hookFormats,
  mappedRights,
  providerLogout,
  secondFactors,
  mail,
  invitations,
  auditEvents,
  hookEvents,
  refs,
  issueTrackers,
  accountMail,
  auditStreams,
  stoppedWork,
  trackerEvents,
  synchronizedIssues,
  dueDates,
  dismissalEnds,
  assignees,
  savedViews,
  packageUrls,
  feeds,
  priority,
  dismissalApproval,
  scopeBulkChanges,
  dependencies,
  reportFormat,
  projectBadges,
  vulnerabilityRules,
  projectFiles,
  sourceSuppressions,
  tags,
  refDismissals,
  flawKeys,
  flawChanges,
  viewUses,
  reportSchedules,
  reportMappings,
  dismissalQueue,
  dashboard,
  dueDateOrder,
  groupDismissals,
  importedFindings,
  userAttributes,
  avatars,
  customAttributes,
  uploadLinks,
  uploadReferences,
  resumableUploads,
  topicProposals,
  uploadScans,
  importSources,
  groupTopics,
  unfinishedUploads,
  findingFilters,
  dismissalTemplates,
  securityOverview,
  displaySettings,
  notificationReads,
  activityAndFiles,
  numberFormat,
  instanceOrders,
  textTriggers,
  uploadIndexes,
]
