import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { FindingFilter } from '../../../domain/findings/list/finding-filter.ts'
import type { Project } from '../../../domain/projects/project.ts'
import { compileInput } from '../../../http/params/compile-input.ts'
import { integer, oneOf, optional, text } from '../../../http/params/input.ts'
import type { RawParams } from '../../../http/params/raw-params.ts'
import { assertKnown, filterProperties, readFilter as readFilterOfVulnerabilities } from '../vulnerabilities/filters.ts'

/** Filter parameters of lists of findings. */
export const filters = {
  report_type: filterProperties.report_type,
  severity: filterProperties.severity,
  state: filterProperties.state,
  scanner: filterProperties.scanner,
  identifier: filterProperties.identifier,
  package: filterProperties.package,
  search: filterProperties.search,
  scope: oneOf(['dismissed', 'all'], {
    default: 'dismissed',
    description: '`dismissed` hides dismissed findings unless `state` includes them',
  }),
  pipeline_id: optional(integer({ description: 'Only findings that this import reported' })),
  ref: filterProperties.ref,
  not_on: filterProperties.not_on,
  also_on: filterProperties.also_on,
  present_on_default_branch: filterProperties.present_on_default_branch,
  has_resolution: filterProperties.has_resolution,
  scanned_on: optional(
    text({
      allowBlank: false,
      description:
        'Only findings that a complete scan of this branch or tag covers. The findings that a branch has fixed: `ref` is its target, `not_on` and `scanned_on` are the branch',
    }),
  ),
}

const filterInput = Type.Object(filters)
const compiledFilter = compileInput(filterInput)

export function readFilter(
  project: Project,
  caller: Caller,
  input: Static<typeof filterInput>,
): Omit<FindingFilter, 'isPromoted'> {
  const {
    severities,
    reportTypes,
    scanners,
    states,
    identifiers,
    packages,
    search,
    ref,
    notOnRef,
    alsoOnRef,
    ...onDefault
  } = readFilterOfVulnerabilities(input, caller)
  return {
    projectId: project.id,
    ref: ref ?? project.defaultBranch,
    severities,
    reportTypes,
    scanners,
    states: states ?? (input.scope === 'all' ? undefined : ['detected', 'confirmed', 'resolved']),
    identifiers,
    packages,
    search,
    notOnRef,
    alsoOnRef,
    defaultBranch: {
      ref: project.defaultBranch,
      wasPresent: onDefault.isOnDefaultBranch,
      isResolved: onDefault.isResolvedOnDefaultBranch,
    },
    scannedOnRef: input.scanned_on,
    importId: input.pipeline_id,
  }
}

/** Rejects unknown names, because ignoring one would select too many findings. */
export function readFilterObject(project: Project, caller: Caller, params: RawParams) {
  assertKnown('filter', params, filters)
  return readFilter(project, caller, compiledFilter(params))
}
