import Type from 'typebox'
import { previewMarkdown } from '../../domain/markdown/preview.ts'
import { flag, optional, text } from './input.ts'
import { type Route, route } from './route.ts'

const renderedView = Type.Object({ html: Type.String() })

export const markdownRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/markdown',
    summary: 'Render Markdown to safe HTML',
    permission: 'markdown.render',
    input: Type.Object({
      text: text({ description: 'At most 1 MiB' }),
      gfm: optional(flag({ description: 'Taken and ignored: GitLab’s additions are always on' })),
      project: optional(text({ description: 'Full path or id of the project whose uploads the text links to' })),
    }),
    status: 201,
    output: renderedView,
    handle: async ({ deps, caller, input }) => ({
      html: await previewMarkdown(deps, caller, input.text, input.project),
    }),
  }),
]
