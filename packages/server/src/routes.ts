import { findingRoutes } from './api/v4/findings.ts'
import { metadataRoutes } from './api/v4/metadata.ts'
import type { Route } from './api/v4/route.ts'
import { securityReportRoutes } from './api/v4/security-reports.ts'
import { tokenRoutes } from './api/v4/tokens.ts'
import { topicRoutes } from './api/v4/topics.ts'
import { uploadRoutes } from './api/v4/uploads.ts'
import { userRoutes } from './api/v4/users.ts'
import { vulnerabilityRoutes } from './api/v4/vulnerabilities.ts'

/** The whole API. */
export const routes: readonly Route[] = [
  ...metadataRoutes,
  ...userRoutes,
  ...tokenRoutes,
  ...topicRoutes,
  ...uploadRoutes,
  ...securityReportRoutes,
  ...findingRoutes,
  ...vulnerabilityRoutes,
]
