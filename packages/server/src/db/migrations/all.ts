import type { Migration } from '../migrate.ts'
import { foundation } from './0001_foundation.ts'
import { uploadLife } from './0002_upload_life.ts'
import { movedPaths } from './0003_moved_paths.ts'
import { topicOrder } from './0004_topic_order.ts'
import { accountsAndLimits } from './0005_accounts_and_limits.ts'
import { vulnerabilityLists } from './0006_vulnerability_lists.ts'
import { vulnerabilityLife } from './0007_vulnerability_life.ts'
import { jobsHooksExports } from './0008_jobs_hooks_exports.ts'
import { imports } from './0009_imports.ts'
import { accountSearch } from './0016_account_search.ts'
import { narrowSearch } from './0020_narrow_search.ts'
import { bansAndAddresses } from './0021_bans_and_addresses.ts'
import { listsOfOrganizations } from './0022_lists_of_organizations.ts'
import { sessionsOfTokens } from './0023_sessions_of_tokens.ts'
import { findingsOfScanners } from './0024_findings_of_scanners.ts'
import { usageBySize } from './0025_usage_by_size.ts'
import { membersThatChange } from './0026_members_that_change.ts'
import { waitingFindings } from './0027_waiting_findings.ts'
import { narrowCandidates } from './0028_narrow_candidates.ts'
import { promotionOfImports } from './0029_promotion_of_imports.ts'
import { promotedFindings } from './0030_promoted_findings.ts'
import { bulkPromotions } from './0031_bulk_promotions.ts'
import { reportCategories } from './0032_report_categories.ts'
import { scansOfCategory } from './0033_scans_of_category.ts'
import { knownBrowsers } from './0034_known_browsers.ts'
import { rightsAndGhost } from './0035_rights_and_ghost.ts'
import { fairJobs } from './0036_fair_jobs.ts'
import { idempotencyKeys } from './0037_idempotency_keys.ts'
import { pendingDeletions } from './0038_pending_deletions.ts'
import { artifacts } from './0041_artifacts.ts'
import { occurrenceStates } from './0042_occurrence_states.ts'

/** Migrations in order. New ones are appended. */
export const migrations: readonly Migration[] = [
  foundation,
  uploadLife,
  movedPaths,
  topicOrder,
  accountsAndLimits,
  vulnerabilityLists,
  vulnerabilityLife,
  jobsHooksExports,
  imports,
  accountSearch,
  narrowSearch,
  bansAndAddresses,
  listsOfOrganizations,
  sessionsOfTokens,
  findingsOfScanners,
  usageBySize,
  membersThatChange,
  waitingFindings,
  narrowCandidates,
  promotionOfImports,
  promotedFindings,
  bulkPromotions,
  reportCategories,
  scansOfCategory,
  knownBrowsers,
  rightsAndGhost,
  fairJobs,
  idempotencyKeys,
  pendingDeletions,
  artifacts,
  occurrenceStates,
]
