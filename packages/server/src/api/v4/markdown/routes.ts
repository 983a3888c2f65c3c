import Type from 'typebox'
import { previewMarkdown } from '../../../domain/markdown/preview.ts'
import { flag, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'

const renderedView = Type.Object({ html: Type.String() })
const project = optional(text({ description: 'Full path or ID of the project whose uploads the text links to' }))

export const markdownRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/markdown',
    summary: 'Render Markdown to safe HTML',
    permission: 'markdown.render',
    input: Type.Object({
      text: text({ description: 'At most 1 MiB' }),
      gfm: optional(flag({ description: 'Ignored: GitLab Flavored Markdown is always on' })),
      project,
    }),
    status: 201,
    output: renderedView,
    handle: async ({ deps, caller, input }) => ({
      html: await previewMarkdown(deps, caller, input.text, input.project),
    }),
  }),
  route({
    method: 'POST',
    path: '/markdown/preview',
    summary: 'Render a Markdown preview; needs no write scope',
    permission: 'markdown.preview',
    input: Type.Object({
      text: text({ description: 'At most 1 MiB; at most 4096 characters in anonymous requests' }),
      project,
    }),
    status: 200,
    output: renderedView,
    handle: async ({ deps, caller, input }) => ({
      html: await previewMarkdown(deps, caller, input.text, input.project),
    }),
  }),
]
