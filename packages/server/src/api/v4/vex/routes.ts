import Type, { type Static } from 'typebox'
import type { RootDeps } from '../../../domain/deps.ts'
import { dismissalReasons, states } from '../../../domain/findings/scales.ts'
import type { VexImport } from '../../../domain/vex/describe-vex.ts'
import { importVex, importVexOfGroup, type ReceivedVex } from '../../../domain/vex/import-vex.ts'
import { maxVexBytes } from '../../../domain/vex/read-vex.ts'
import { vexFormats, vexStatuses } from '../../../domain/vex/statement.ts'
import { fileOf, flag, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableInteger, nullableString } from '../views.ts'

const actions = ['dismiss', 'resolve', 'confirm', 'none'] as const
const enumOf = <const T extends string>(values: readonly T[]) => Type.Unsafe<T>({ type: 'string', enum: values })

const vexImportView = Type.Object(
  {
    format: enumOf(vexFormats),
    document_id: nullableString,
    dry_run: Type.Boolean(),
    statements: Type.Integer({ description: 'Number of statements in the document' }),
    unmatched: Type.Integer({ description: 'Number of statements about no vulnerability of the project or group' }),
    changed: Type.Integer({ description: 'Number of vulnerabilities that change' }),
    requested: Type.Integer({ description: 'Number of dismissals that await the approval of a second person' }),
    unchanged: Type.Integer({ description: 'Number of vulnerabilities that stay as they are' }),
    kept: Type.Integer({ description: 'Number of vulnerabilities on which a user decided after the statement' }),
    refused: Type.Integer({
      description: 'Number of vulnerabilities of projects of the group in which the caller may not triage',
    }),
    bulk_change_ids: Type.Array(Type.Integer(), { description: 'Bulk changes of the import, which can be undone' }),
    effects: Type.Array(
      Type.Object(
        {
          pointer: Type.String({ description: 'JSON pointer of the statement' }),
          project_id: { ...nullableInteger, description: 'The project; null if no vulnerability matches' },
          project_path: nullableString,
          vulnerability: nullableString,
          components: Type.Array(Type.String()),
          status: enumOf(vexStatuses),
          justification: nullableString,
          action: enumOf(actions),
          dismissal_reason: Type.Unsafe<(typeof dismissalReasons)[number] | null>({
            type: ['string', 'null'],
            enum: [...dismissalReasons, null],
          }),
          reason: Type.String({ description: 'Why the statement changes something or nothing' }),
          matched: Type.Integer(),
          changed: Type.Integer(),
          requested: Type.Integer(),
          kept: Type.Integer(),
          refused: Type.Integer(),
          vulnerabilities: Type.Array(
            Type.Object({ id: Type.Integer(), title: Type.String(), state: enumOf(states) }),
            { description: 'Some of the vulnerabilities, with their state before the import' },
          ),
        },
        { title: 'VexEffect' },
      ),
      { description: 'What each statement does in each project; at most 1,000, those that change something first' },
    ),
  },
  { title: 'VexImport' },
)

const maxShownComponents = 10

const viewVexImport = (result: VexImport) => ({
  format: result.format,
  document_id: result.documentId ?? null,
  dry_run: result.isDryRun,
  statements: result.statements,
  unmatched: result.unmatched,
  changed: result.changed,
  requested: result.requested,
  unchanged: result.unchanged,
  kept: result.kept,
  refused: result.refused,
  bulk_change_ids: [...result.bulkIds],
  effects: result.effects.map(({ statement, project, action, dismissalReason, samples, ...effect }) => ({
    pointer: statement.pointer,
    project_id: project?.id ?? null,
    project_path: project?.fullPath ?? null,
    vulnerability: statement.ids[0] ?? null,
    components: statement.components.slice(0, maxShownComponents),
    status: statement.status,
    justification: statement.justification ?? null,
    // A statement has no other effects.
    action: actions.find((known) => known === action) ?? 'none',
    dismissal_reason: dismissalReason ?? null,
    ...effect,
    vulnerabilities: [...samples],
  })),
})

const vexInput = Type.Object({
  file: fileOf(['application/json']),
  ref: optional(
    text({
      allowBlank: false,
      description: 'Ref whose vulnerabilities the document is about. Default: the default branch',
    }),
  ),
  override: optional(flag({ description: 'Also change what users decided after a statement' })),
  dry_run: optional(flag({ description: 'Dry run: describe each statement’s effect without changing anything' })),
})

const shape = {
  method: 'POST',
  input: vexInput,
  status: 201,
  output: vexImportView,
  fileLimit: () => ({
    maxBytes: maxVexBytes,
    sentence: `a VEX document may have up to ${maxVexBytes / 1024 / 1024} MiB`,
  }),
} as const

export const vexRoutes: readonly Route[] = [
  route({
    ...shape,
    path: '/projects/:id/vex',
    summary: 'Import a VEX document: OpenVEX, CycloneDX or CSAF',
    permission: 'vex.import',
    handle: async ({ deps, project, caller, input }) =>
      viewVexImport(await importVex(deps, project, caller.user, await receivedFrom(deps, input))),
  }),
  route({
    ...shape,
    path: '/groups/:id/vex',
    summary: 'Import a VEX document into the projects of a group and its subgroups',
    permission: 'group.vex.import',
    handle: async ({ deps, group, caller, input }) =>
      viewVexImport(await importVexOfGroup(deps, group, caller, await receivedFrom(deps, input))),
  }),
]

const receivedFrom = async (deps: RootDeps, input: Static<typeof vexInput>): Promise<ReceivedVex> => ({
  bytes: await readFile(deps, input.file.key),
  options: { ref: input.ref, override: input.override, isDryRun: input.dry_run },
})

async function readFile({ objects }: RootDeps, key: string): Promise<Buffer> {
  const stream = await objects.open(key)
  if (!stream) throw new Error('the object of a received document is missing in the object store')
  const chunks: Buffer[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
