import Type from 'typebox'
import type { Organization } from '../../../domain/namespaces/organization.ts'
import { createOrganization, findOrganizations, readOrganization } from '../../../domain/namespaces/organizations.ts'
import { integer, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import type { Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableString, timestamp } from '../views.ts'

const organizationView = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    path: Type.String(),
    description: Type.String(),
    created_at: timestamp,
    updated_at: timestamp,
    web_url: Type.String(),
    avatar_url: nullableString,
    visibility: Type.String(),
  },
  { title: 'Organization' },
)

function viewOrganization(organization: Organization, origin: string) {
  return {
    id: organization.id,
    name: organization.name,
    path: organization.path,
    description: organization.description,
    created_at: organization.createdAt,
    updated_at: organization.updatedAt,
    web_url: `${origin}/-/organizations/${organization.path}`,
    avatar_url: null,
    visibility: organization.isPublic ? 'public' : 'private',
  }
}

export const organizationRoutes: readonly Route[] = [
  route({
    method: 'POST',
    path: '/organizations',
    summary: 'Create an organization with its own topics and projects',
    permission: 'organization.create',
    input: Type.Object({
      name: text(),
      path: text(),
      description: optional(nullable(text())),
      visibility: oneOf(['private', 'public'], {
        default: 'private',
        description: 'A private organization is hidden from users who have no access to anything in it',
      }),
    }),
    status: 201,
    output: organizationView,
    async handle({ deps, caller, input, origin }) {
      const { name, path, description, visibility } = input
      const fresh = { name, path, description: description ?? '', isPublic: visibility === 'public' }
      return viewOrganization(await createOrganization(deps, caller, fresh), origin)
    },
  }),
  route({
    method: 'GET',
    path: '/organizations',
    summary: 'List the organizations that you can see',
    permission: 'organization.read',
    status: 200,
    output: Type.Array(organizationView),
    paged: true,
    async handle({ deps, caller, page, origin }) {
      const found = await findOrganizations(deps, caller, page)
      return { ...found, rows: found.rows.map((organization) => viewOrganization(organization, origin)) }
    },
  }),
  route({
    method: 'GET',
    path: '/organizations/:id',
    summary: 'Get an organization',
    permission: 'organization.read',
    input: Type.Object({ id: integer() }),
    status: 200,
    output: organizationView,
    handle: async ({ deps, caller, input, origin }) =>
      viewOrganization(await readOrganization(deps, caller, input.id), origin),
  }),
]
