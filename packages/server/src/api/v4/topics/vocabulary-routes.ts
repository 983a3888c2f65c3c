import { Readable } from 'node:stream'
import Type from 'typebox'
import { assertOrganizationReadable } from '../../../domain/namespaces/organizations.ts'
import { exportVocabulary } from '../../../domain/topics/vocabulary/export-vocabulary.ts'
import { importVocabulary } from '../../../domain/topics/vocabulary/import-vocabulary.ts'
import type { Plan } from '../../../domain/topics/vocabulary/plan-vocabulary.ts'
import { vocabularyFormats } from '../../../domain/topics/vocabulary/vocabulary.ts'
import { fileOf, flag, integer, oneOf, optional } from '../../../http/params/input.ts'
import { attachment } from '../../../http/response/content-disposition.ts'
import { fileOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'

/** Limit for topic files, which are parsed in memory. */
const maxVocabularyBytes = 5 * 1024 * 1024

const changeView = Type.Object({
  action: Type.Unsafe<string>({ type: 'string', enum: ['create', 'update', 'delete'] }),
  name: Type.String(),
  fields: Type.Array(
    Type.Object({ field: Type.String(), from: Type.Unsafe<unknown>({}), to: Type.Unsafe<unknown>({}) }),
  ),
})

const importView = Type.Object(
  {
    dry_run: Type.Boolean(),
    created: Type.Integer(),
    updated: Type.Integer(),
    deleted: Type.Integer(),
    unchanged: Type.Integer(),
    changes: Type.Array(changeView),
  },
  { title: 'TopicImport' },
)

/** Maximum number of changes in a response. The counts include all changes. */
const maxShown = 1000

function viewPlan({ created, updated, deleted, unchanged }: Plan, dryRun: boolean) {
  const changes = [
    ...deleted.map(({ name }) => ({ action: 'delete', name, fields: [] })),
    ...updated.map(({ before, fields }) => ({ action: 'update', name: before.name, fields })),
    ...created.map(({ name }) => ({ action: 'create', name, fields: [] })),
  ]
  return {
    dry_run: dryRun,
    created: created.length,
    updated: updated.length,
    deleted: deleted.length,
    unchanged,
    changes: changes.slice(0, maxShown),
  }
}

/** Includes the media types of YAML before RFC 9512, and those that curl and browsers send for unknown files. */
const rawTypes = [
  ...['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'],
  ...['application/json', 'application/octet-stream'],
]
const mediaTypes = { yaml: 'application/yaml', json: 'application/json' }

export const topicVocabularyRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/topics/export',
    summary: 'Export all topics and their aliases as a file',
    permission: 'topic.export',
    input: Type.Object({
      format: oneOf(vocabularyFormats, { default: 'yaml' }),
      organization_id: integer({ default: 1 }),
    }),
    status: 200,
    output: fileOutput,
    check: ({ deps, caller, input }) => assertOrganizationReadable(deps, caller, input.organization_id),
    async handle({ deps, caller, input }) {
      const bytes = await exportVocabulary(deps, caller, input.organization_id, input.format)
      return {
        open: async (range) => Readable.from([range ? bytes.subarray(range.start, range.end + 1) : bytes]),
        bytes: bytes.length,
        contentType: mediaTypes[input.format],
        disposition: attachment(`topics.${input.format}`),
      }
    },
  }),
  route({
    method: 'POST',
    path: '/topics/import',
    summary: 'Import topics from a file in one transaction; omitted fields stay unchanged',
    permission: 'topic.import',
    input: Type.Object({
      file: fileOf(rawTypes),
      format: optional(
        oneOf(vocabularyFormats, { description: 'Default: JSON if the file begins with a brace, otherwise YAML' }),
      ),
      prune: flag({ default: false, description: 'Delete topics that are not in the file' }),
      dry_run: flag({ default: false, description: 'Dry run: return what would change without changing anything' }),
      organization_id: integer({ default: 1 }),
    }),
    status: 201,
    output: importView,
    rawFile: rawTypes,
    fileLimit: ({ settings }) => ({
      maxBytes: Math.min(settings.maxUploadBytes, maxVocabularyBytes),
      sentence: 'a list of topics may have up to 5 MiB, and no more than an upload',
    }),
    async handle({ deps, input }) {
      const { file, format, prune, dry_run: dryRun, organization_id: organizationId } = input
      return viewPlan(await importVocabulary(deps, file, { format, prune, dryRun, organizationId }), dryRun)
    },
  }),
]
