import { graphqlRoutes } from './api/graphql/routes.ts'
import { accessTokenRoutes } from './api/v4/access-tokens/routes.ts'
import { auditEventRoutes } from './api/v4/audit-events/routes.ts'
import { avatarRoutes } from './api/v4/avatars/routes.ts'
import { customAttributeRoutes } from './api/v4/custom-attributes/routes.ts'
import { dependencyRoutes } from './api/v4/dependencies/routes.ts'
import { deployTokenRoutes } from './api/v4/deploy-tokens/routes.ts'
import { dismissalRequestRoutes } from './api/v4/dismissal-approval/request-routes.ts'
import { dismissalApprovalRoutes } from './api/v4/dismissal-approval/routes.ts'
import { dismissalTemplateRoutes } from './api/v4/dismissal-templates/routes.ts'
import { displaySettingsRoutes } from './api/v4/display-settings/routes.ts'
import { dueDatePolicyRoutes } from './api/v4/due-date-policies/routes.ts'
import { exportRoutes } from './api/v4/exports/routes.ts'
import { findingMatchRoutes } from './api/v4/findings/match-view.ts'
import { promoteWaitingRoutes } from './api/v4/findings/promote-waiting-routes.ts'
import { findingRoutes } from './api/v4/findings/routes.ts'
import { groupRoutes } from './api/v4/groups/routes.ts'
import { hookRoutes } from './api/v4/hooks/routes.ts'
import { importSourceRoutes } from './api/v4/import-sources/routes.ts'
import { importedFindingRoutes } from './api/v4/imported-findings/routes.ts'
import { applicationSettingsRoutes } from './api/v4/instance/application-settings-routes.ts'
import { feedRoutes } from './api/v4/instance/feed-routes.ts'
import { metadataRoutes } from './api/v4/instance/metadata-routes.ts'
import { retentionRoutes } from './api/v4/instance/retention-routes.ts'
import { settingRoutes } from './api/v4/instance/settings-routes.ts'
import { storageRoutes } from './api/v4/instance/storage-routes.ts'
import { acceptInvitationRoutes } from './api/v4/invitations/accept-routes.ts'
import { invitationRoutes } from './api/v4/invitations/routes.ts'
import { trackerIssueRoutes } from './api/v4/issue-trackers/issue-routes.ts'
import { issueTrackerRoutes } from './api/v4/issue-trackers/routes.ts'
import { jobRoutes } from './api/v4/jobs/routes.ts'
import { markdownRoutes } from './api/v4/markdown/routes.ts'
import { memberRoutes } from './api/v4/members/routes.ts'
import { namespaceRoutes } from './api/v4/namespaces/routes.ts'
import { notificationInboxRoutes } from './api/v4/notifications/inbox-routes.ts'
import { notificationRoutes } from './api/v4/notifications/routes.ts'
import { identityRoutes } from './api/v4/oidc/identity-routes.ts'
import { oidcRoutes } from './api/v4/oidc/routes.ts'
import { documentRoute } from './api/v4/openapi-document.ts'
import { organizationRoutes } from './api/v4/organizations/routes.ts'
import { projectFileRoutes } from './api/v4/project-files/routes.ts'
import { projectRoutes } from './api/v4/projects/routes.ts'
import { refRoutes } from './api/v4/refs/routes.ts'
import { reportMappingRoutes } from './api/v4/report-mappings/routes.ts'
import { reportScheduleRoutes } from './api/v4/report-schedules/routes.ts'
import { savedViewRoutes } from './api/v4/saved-views/routes.ts'
import { secondFactorRoutes } from './api/v4/second-factors/routes.ts'
import { securityReportRoutes } from './api/v4/security-reports/routes.ts'
import { sessionRoutes } from './api/v4/sessions/routes.ts'
import { secondStepRoutes } from './api/v4/sessions/second-step-routes.ts'
import { tokenRoutes } from './api/v4/tokens/routes.ts'
import { topicAliasRoutes } from './api/v4/topics/alias-routes.ts'
import { topicBulkRoutes } from './api/v4/topics/bulk-routes.ts'
import { topicDiscoveryRoutes } from './api/v4/topics/discovery-routes.ts'
import { topicDuplicateRoutes } from './api/v4/topics/duplicate-routes.ts'
import { groupTopicRoutes } from './api/v4/topics/group-topic-routes.ts'
import { topicMergeRoutes } from './api/v4/topics/merge-routes.ts'
import { topicProposalRoutes } from './api/v4/topics/proposal-routes.ts'
import { topicRoutes } from './api/v4/topics/routes.ts'
import { topicVocabularyRoutes } from './api/v4/topics/vocabulary-routes.ts'
import { trustRelationRoutes } from './api/v4/trust-relations/routes.ts'
import { uploadImportRoutes } from './api/v4/uploads/import-routes.ts'
import { uploadLinkRoutes } from './api/v4/uploads/link-routes.ts'
import { quarantineRoutes } from './api/v4/uploads/quarantine-routes.ts'
import { uploadReferenceRoutes } from './api/v4/uploads/reference-routes.ts'
import { resumableUploadRoutes } from './api/v4/uploads/resumable-routes.ts'
import { uploadRoutes } from './api/v4/uploads/routes.ts'
import { uploadSearchRoutes } from './api/v4/uploads/search-routes.ts'
import { thumbnailRoutes } from './api/v4/uploads/thumbnail-routes.ts'
import { webUploadRoutes } from './api/v4/uploads/web-routes.ts'
import { placeholderClaimRoutes } from './api/v4/users/claim-routes.ts'
import { userRoutes } from './api/v4/users/routes.ts'
import { vexRoutes } from './api/v4/vex/routes.ts'
import { activityRoutes } from './api/v4/vulnerabilities/activity-routes.ts'
import { badgeRoutes } from './api/v4/vulnerabilities/badge-routes.ts'
import { vulnerabilityBulkRoutes } from './api/v4/vulnerabilities/bulk-routes.ts'
import { securityDashboardRoutes } from './api/v4/vulnerabilities/dashboard-routes.ts'
import { decisionRoutes } from './api/v4/vulnerabilities/decision-routes.ts'
import { exploitationRoutes } from './api/v4/vulnerabilities/exploitation-routes.ts'
import { flawChangeRoutes } from './api/v4/vulnerabilities/flaw-change-routes.ts'
import { flawRoutes } from './api/v4/vulnerabilities/flaw-routes.ts'
import { vulnerabilityHistoryRoutes } from './api/v4/vulnerabilities/history-routes.ts'
import { vulnerabilityLinkRoutes } from './api/v4/vulnerabilities/link-routes.ts'
import { vulnerabilityNoteRoutes } from './api/v4/vulnerabilities/note-routes.ts'
import { vulnerabilityRoutes } from './api/v4/vulnerabilities/routes.ts'
import { scopeBulkRoutes } from './api/v4/vulnerabilities/scope-bulk-routes.ts'
import { vulnerabilityStatisticsRoutes } from './api/v4/vulnerabilities/statistics-routes.ts'
import { vulnerabilityTagRoutes } from './api/v4/vulnerabilities/tag-routes.ts'
import { vulnerabilityLifeRoutes } from './api/v4/vulnerabilities/triage-routes.ts'
import { vulnerabilityRuleRoutes } from './api/v4/vulnerability-rules/routes.ts'
import type { Route } from './http/route.ts'

/** All routes of the API. */
export const routes: readonly Route[] = [
  ...metadataRoutes,
  documentRoute(() => routes),
  ...auditEventRoutes,
  ...jobRoutes,
  ...storageRoutes,
  ...retentionRoutes,
  ...feedRoutes,
  ...settingRoutes,
  ...applicationSettingsRoutes,
  ...sessionRoutes,
  ...secondStepRoutes,
  ...secondFactorRoutes,
  ...oidcRoutes,
  ...identityRoutes,
  ...userRoutes,
  ...placeholderClaimRoutes,
  ...displaySettingsRoutes,
  ...notificationRoutes,
  ...notificationInboxRoutes,
  ...tokenRoutes,
  ...organizationRoutes,
  ...groupRoutes,
  ...namespaceRoutes,
  ...projectRoutes,
  ...memberRoutes,
  ...invitationRoutes,
  ...acceptInvitationRoutes,
  ...accessTokenRoutes,
  ...trustRelationRoutes,
  ...topicRoutes,
  ...avatarRoutes,
  ...customAttributeRoutes,
  ...deployTokenRoutes,
  ...topicAliasRoutes,
  ...topicBulkRoutes,
  ...groupTopicRoutes,
  ...topicProposalRoutes,
  ...topicDiscoveryRoutes,
  ...topicMergeRoutes,
  ...topicDuplicateRoutes,
  ...topicVocabularyRoutes,
  ...uploadRoutes,
  ...uploadImportRoutes,
  ...uploadLinkRoutes,
  ...uploadReferenceRoutes,
  ...resumableUploadRoutes,
  ...thumbnailRoutes,
  ...quarantineRoutes,
  ...webUploadRoutes,
  ...markdownRoutes,
  ...securityReportRoutes,
  ...refRoutes,
  ...projectFileRoutes,
  ...findingRoutes,
  ...promoteWaitingRoutes,
  ...findingMatchRoutes,
  ...vulnerabilityRoutes,
  ...flawRoutes,
  ...flawChangeRoutes,
  ...dependencyRoutes,
  ...uploadSearchRoutes,
  ...exportRoutes,
  ...hookRoutes,
  ...issueTrackerRoutes,
  ...dueDatePolicyRoutes,
  ...vulnerabilityRuleRoutes,
  ...dismissalTemplateRoutes,
  ...dismissalApprovalRoutes,
  ...dismissalRequestRoutes,
  ...trackerIssueRoutes,
  ...vulnerabilityStatisticsRoutes,
  ...securityDashboardRoutes,
  ...activityRoutes,
  ...vulnerabilityLifeRoutes,
  ...decisionRoutes,
  ...vulnerabilityTagRoutes,
  ...vulnerabilityHistoryRoutes,
  ...vulnerabilityBulkRoutes,
  ...vexRoutes,
  ...importedFindingRoutes,
  ...importSourceRoutes,
  ...scopeBulkRoutes,
  ...reportMappingRoutes,
  ...reportScheduleRoutes,
  ...savedViewRoutes,
  ...badgeRoutes,
  ...vulnerabilityNoteRoutes,
  ...vulnerabilityLinkRoutes,
  ...exploitationRoutes,
  ...graphqlRoutes,
]
