import { documentRoute } from './api/v4/document.ts'
import { exportRoutes } from './api/v4/exports.ts'
import { findingMatchRoutes } from './api/v4/finding-matches.ts'
import { findingRoutes } from './api/v4/findings.ts'
import { groupRoutes } from './api/v4/groups.ts'
import { hookRoutes } from './api/v4/hooks.ts'
import { jobRoutes } from './api/v4/jobs.ts'
import { markdownRoutes } from './api/v4/markdown.ts'
import { memberRoutes } from './api/v4/members.ts'
import { metadataRoutes } from './api/v4/metadata.ts'
import { namespaceRoutes } from './api/v4/namespaces.ts'
import { organizationRoutes } from './api/v4/organizations.ts'
import { projectRoutes } from './api/v4/projects.ts'
import type { Route } from './api/v4/route.ts'
import { securityReportRoutes } from './api/v4/security-reports.ts'
import { sessionRoutes } from './api/v4/sessions.ts'
import { settingRoutes } from './api/v4/settings.ts'
import { storageRoutes } from './api/v4/storage.ts'
import { tokenRoutes } from './api/v4/tokens.ts'
import { topicAliasRoutes } from './api/v4/topic-aliases.ts'
import { topicDuplicateRoutes } from './api/v4/topic-duplicates.ts'
import { topicMergeRoutes } from './api/v4/topic-merges.ts'
import { topicVocabularyRoutes } from './api/v4/topic-vocabulary.ts'
import { topicRoutes } from './api/v4/topics.ts'
import { uploadRoutes } from './api/v4/uploads.ts'
import { userRoutes } from './api/v4/users.ts'
import { vulnerabilityRoutes } from './api/v4/vulnerabilities.ts'
import { vulnerabilityBulkRoutes } from './api/v4/vulnerability-bulk.ts'
import { vulnerabilityHistoryRoutes } from './api/v4/vulnerability-history.ts'
import { vulnerabilityLifeRoutes } from './api/v4/vulnerability-life.ts'
import { vulnerabilityLinkRoutes } from './api/v4/vulnerability-links.ts'
import { vulnerabilityNoteRoutes } from './api/v4/vulnerability-notes.ts'
import { vulnerabilityStatisticsRoutes } from './api/v4/vulnerability-statistics.ts'
import { webUploadRoutes } from './api/v4/web-uploads.ts'

/** The whole API. */
export const routes: readonly Route[] = [
  ...metadataRoutes,
  documentRoute(() => routes),
  ...jobRoutes,
  ...storageRoutes,
  ...settingRoutes,
  ...sessionRoutes,
  ...userRoutes,
  ...tokenRoutes,
  ...organizationRoutes,
  ...groupRoutes,
  ...namespaceRoutes,
  ...projectRoutes,
  ...memberRoutes,
  ...topicRoutes,
  ...topicAliasRoutes,
  ...topicMergeRoutes,
  ...topicDuplicateRoutes,
  ...topicVocabularyRoutes,
  ...uploadRoutes,
  ...webUploadRoutes,
  ...markdownRoutes,
  ...securityReportRoutes,
  ...findingRoutes,
  ...findingMatchRoutes,
  ...vulnerabilityRoutes,
  ...exportRoutes,
  ...hookRoutes,
  ...vulnerabilityStatisticsRoutes,
  ...vulnerabilityLifeRoutes,
  ...vulnerabilityHistoryRoutes,
  ...vulnerabilityBulkRoutes,
  ...vulnerabilityNoteRoutes,
  ...vulnerabilityLinkRoutes,
]
