import { createHash } from 'node:crypto'
import Type from 'typebox'
import {
  findBadgeProject,
  getBadge,
  publishBadge,
  readBadge,
  revokeBadge,
} from '../../../domain/vulnerabilities/badge/badges.ts'
import { oneOf, text } from '../../../http/params/input.ts'
import { inline } from '../../../http/response/content-disposition.ts'
import { type Download, untrustedContentPolicy } from '../../../http/response/download.ts'
import { fileOutput, noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableString, nullableTimestamp } from '../views.ts'

const show = oneOf(['counts', 'grade'], {
  default: 'counts',
  description: '`counts`: open critical and high vulnerabilities; `grade`: the letter grade',
})

const badgeView = Type.Object(
  {
    image_url: Type.String({ description: 'Image for users who may read the vulnerabilities of the project' }),
    public_url: { ...nullableString, description: 'Image for everyone with this address; null unless published' },
    published_at: nullableTimestamp,
  },
  { title: 'VulnerabilityBadge' },
)

function viewBadge(origin: string, projectId: number, badge: { key: string; createdAt: string } | undefined) {
  return {
    image_url: `${origin}/api/v4/projects/${projectId}/vulnerabilities/badge.svg`,
    public_url: badge ? `${origin}/-/badges/${badge.key}.svg` : null,
    published_at: badge?.createdAt ?? null,
  }
}

function imageOf(svg: string, cacheControl: string): Download {
  const bytes = Buffer.from(svg)
  return {
    open: async (range) => (range ? bytes.subarray(range.start, range.end + 1) : bytes),
    bytes: bytes.length,
    contentType: 'image/svg+xml; charset=utf-8',
    disposition: inline('badge.svg'),
    etag: `"${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}"`,
    cacheControl,
    contentSecurityPolicy: `${untrustedContentPolicy}; style-src 'unsafe-inline'`,
  }
}

const path = '/projects/:id/vulnerabilities/badge'

export const badgeRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: `${path}.svg`,
    summary: 'Get a badge with the open critical and high vulnerabilities, or the grade, of a project',
    permission: 'vulnerability.statistics',
    input: Type.Object({ show }),
    status: 200,
    output: fileOutput,
    handle: async ({ deps, project, input }) =>
      imageOf(await readBadge(deps, project.id, input.show), 'private, no-cache'),
  }),
  route({
    method: 'GET',
    path,
    summary: 'Get the addresses of a project’s badge',
    permission: 'vulnerability.statistics',
    status: 200,
    output: badgeView,
    handle: async ({ deps, project, origin }) => viewBadge(origin, project.id, await getBadge(deps, project)),
  }),
  route({
    method: 'POST',
    path,
    summary: 'Publish a project’s badge at a new, unguessable address',
    permission: 'badge.publish',
    status: 201,
    output: badgeView,
    handle: async ({ deps, project, origin }) => viewBadge(origin, project.id, await publishBadge(deps, project)),
  }),
  route({
    method: 'DELETE',
    path,
    summary: 'Revoke the public address of a project’s badge',
    permission: 'badge.publish',
    status: 204,
    output: noOutput,
    handle: ({ deps, project }) => revokeBadge(deps, project),
  }),
  route({
    method: 'GET',
    path: '/-/badges/:key',
    outside: true,
    summary: 'View a published badge',
    permission: 'badge.view',
    input: Type.Object({ key: text({ description: 'The key of the address, followed by `.svg`' }), show }),
    status: 200,
    output: fileOutput,
    async handle({ deps, input }) {
      const projectId = await findBadgeProject(deps, input.key.replace(/\.svg$/, ''))
      return imageOf(await readBadge(deps, projectId, input.show), 'public, max-age=300')
    },
  }),
]
