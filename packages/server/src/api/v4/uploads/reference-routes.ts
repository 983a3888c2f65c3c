import Type from 'typebox'
import { recordReferences } from '../../../domain/uploads/references/upload-references.ts'
import { text, textList } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'

const referencesView = Type.Object(
  {
    source: Type.String(),
    uploads: Type.Array(
      Type.Object({
        id: Type.Integer(),
        filename: Type.String(),
        uses: Type.Integer({ description: 'Number of links in the texts' }),
      }),
    ),
    unknown: Type.Integer({ description: 'Number of linked uploads that this project does not have' }),
  },
  { title: 'UploadReferences' },
)

export const uploadReferenceRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/projects/:id/uploads/references',
    summary: 'Record which uploads of a project the texts of a source refer to, in place of its earlier references',
    permission: 'upload.reference',
    input: Type.Object({
      source: text({ description: 'What contains the texts, such as the address of a page' }),
      texts: textList({ allowBlank: true, description: 'All texts of the source; none ends its references' }),
    }),
    status: 201,
    output: referencesView,
    async handle({ deps, project, input }) {
      const { source, uploads, unknown } = await recordReferences(deps, project, input.source, input.texts)
      return { source, uploads: uploads.map(({ id, filename, uses }) => ({ id, filename, uses })), unknown }
    },
  }),
]
