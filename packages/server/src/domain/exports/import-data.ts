import type { ExportedRow } from './exported-rows.ts'

/**
 * Returns a vulnerability as the record that `POST /projects/:id/imported_findings` reads. `exact` has what only an
 * administrator can restore: times, authors, and the finding as its scanner reported it.
 */
export function importDataOf(row: ExportedRow): object {
  const { project, vulnerability, finding, scanner, identifiers, extras, remarks, assignee } = row
  const decision = remarks.findLast(({ kind, to }) => kind === 'state' && to === vulnerability.state)
  return {
    id: `${vulnerability.id}`,
    name: finding.name,
    description: finding.description,
    solution: finding.solution,
    severity: finding.severity,
    report_type: finding.reportType,
    scanner: { external_id: scanner.externalId, name: scanner.name, vendor: scanner.vendor },
    identifiers: identifiers.map(({ externalType, externalId, name, url }) => ({
      ...{ external_type: externalType, external_id: externalId, name, url },
    })),
    location: finding.location,
    package_url: finding.packageUrl,
    state: vulnerability.state,
    ...(vulnerability.state === 'dismissed' && {
      dismissal_reason: vulnerability.dismissalReason,
      dismissed_until: vulnerability.dismissedUntil,
      dismissed_until_fixed: vulnerability.isDismissedUntilFixed,
    }),
    comment: decision?.comment ?? null,
    decided_at: decision?.createdAt ?? null,
    decided_by: decision?.username ?? null,
    comments: remarks.flatMap(({ kind, comment, username, createdAt }) =>
      kind === 'note' && comment ? [{ body: comment, author: username, created_at: createdAt }] : [],
    ),
    assignee: assignee?.username ?? null,
    set_severity: vulnerability.isSeverityOverridden ? vulnerability.severity : null,
    due_on: vulnerability.isDueOnOverridden ? vulnerability.dueOn : null,
    tags: vulnerability.tags,
    detected_at: vulnerability.createdAt,
    exact: {
      project_id: project.id,
      uuid: finding.uuid,
      confidence: finding.confidence,
      cve: finding.cve,
      location_fingerprint: finding.locationFingerprint,
      details: finding.details,
      extras,
      metadata_version: finding.metadataVersion,
      raw_metadata: finding.rawMetadata,
      detected_at: finding.detectedAt,
      created_at: finding.createdAt,
      updated_at: finding.updatedAt,
      ...triageOf(row),
    },
  }
}

function triageOf({ vulnerability, remarks, usernames }: ExportedRow): object {
  const nameOf = (id: number | null) => (id === null ? null : (usernames.get(id) ?? null))
  return {
    auto_resolved: vulnerability.isAutoResolved,
    resolved_on_default_branch: vulnerability.isResolvedOnDefaultBranch,
    dismissal_reason: vulnerability.dismissalReason,
    dismissed_at: vulnerability.dismissedAt,
    dismissed_by: nameOf(vulnerability.dismissedById),
    confirmed_at: vulnerability.confirmedAt,
    confirmed_by: nameOf(vulnerability.confirmedById),
    resolved_at: vulnerability.resolvedAt,
    resolved_by: nameOf(vulnerability.resolvedById),
    fix_available_at: vulnerability.fixAvailableAt,
    changed_at: vulnerability.updatedAt,
    author: nameOf(vulnerability.authorId),
    history: remarks.map(({ kind, username, from, to, comment, dismissalReason, createdAt }) => ({
      ...{ kind, username, from, to, comment, dismissal_reason: dismissalReason, created_at: createdAt },
    })),
  }
}
