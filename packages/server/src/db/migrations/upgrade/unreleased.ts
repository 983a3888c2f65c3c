import type { Migration } from '../../migrate.ts'
import { knownBrowsers } from './0034_known_browsers.ts'
import { rightsAndGhost } from './0035_rights_and_ghost.ts'
import { fairJobs } from './0036_fair_jobs.ts'
import { idempotencyKeys } from './0037_idempotency_keys.ts'
import { pendingDeletions } from './0038_pending_deletions.ts'
import { artifacts } from './0041_artifacts.ts'
import { occurrenceStates } from './0042_occurrence_states.ts'
import { standardTerms } from './0042_standard_terms.ts'

/** Migrations of commit 5d14de7, the oldest whose databases can be upgraded. Their scripts no longer exist. */
const withoutScript = [
  '0001_foundation',
  '0002_upload_life',
  '0003_moved_paths',
  '0004_topic_order',
  '0005_accounts_and_limits',
  '0006_vulnerability_lists',
  '0007_vulnerability_life',
  '0008_jobs_hooks_exports',
  '0009_imports',
  '0016_account_search',
  '0020_narrow_search',
  '0021_bans_and_addresses',
  '0022_lists_of_organizations',
  '0023_sessions_of_tokens',
  '0024_findings_of_scanners',
  '0025_usage_by_size',
  '0026_members_that_change',
  '0027_waiting_findings',
  '0028_narrow_candidates',
  '0029_promotion_of_imports',
  '0030_promoted_findings',
  '0031_bulk_promotions',
  '0032_report_categories',
  '0033_scans_of_category',
].map((name): Migration => ({ name, up: refuse }))

function refuse(): never {
  throw new Error(
    'the database was written by a program older than commit 5d14de7; ' +
      'run `alcove migrate` of that commit once, then start this version again',
  )
}

/** Migrations that ran before the first release, in order. Together they end at the schema of `0001_initial`. */
export const unreleased: readonly Migration[] = [
  ...withoutScript,
  knownBrowsers,
  rightsAndGhost,
  fairJobs,
  idempotencyKeys,
  pendingDeletions,
  artifacts,
  occurrenceStates,
  standardTerms,
]
