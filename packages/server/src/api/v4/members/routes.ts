import Type, { type Static } from 'typebox'
import { grantableLevels } from '../../../domain/access/roles.ts'
import type { Member, MemberFilter } from '../../../domain/members/member.ts'
import {
  addMember,
  addMembers,
  type Candidate,
  changeMember,
  findMembers,
  getMember,
  removeMember,
} from '../../../domain/members/members.ts'
import { date, integer, integerList, nullable, oneOf, optional, text } from '../../../http/params/input.ts'
import { noOutput, perMinute, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { basicUserView, viewBasicUser } from '../users/views.ts'
import { nullableString, timestamp } from '../views.ts'
import { placeOf } from './place.ts'

/** No field is required, because the serialiser writes required fields first. `created_by` may be absent. */
const memberView = Type.Partial(
  Type.Object({
    ...basicUserView.properties,
    access_level: Type.Integer(),
    created_at: timestamp,
    created_by: basicUserView,
    expires_at: nullableString,
    membership_state: Type.String(),
  }),
)

/** The added member; for several members, whether all were added. */
const addedView = Type.Object({
  ...memberView.properties,
  status: Type.Optional(Type.String()),
  message: Type.Optional(Type.Record(Type.String(), Type.String())),
})

function viewMember(member: Member, origin: string): Static<typeof memberView> {
  return {
    ...viewBasicUser(member.person, origin),
    access_level: member.accessLevel,
    created_at: member.createdAt,
    ...(member.createdBy && { created_by: viewBasicUser(member.createdBy, origin) }),
    expires_at: member.expiresOn,
    membership_state: 'active',
  }
}

const listInput = Type.Object({
  query: optional(text({ description: 'Matches name and username' })),
  user_ids: optional(integerList({ commaSeparated: true })),
  skip_users: optional(integerList({ commaSeparated: true })),
  min_access_level: optional(oneOf(grantableLevels, { description: 'Minimum access level of the member' })),
})

const terms = {
  access_level: integer({ description: '5 (groups only), 10, 15, 20, 30, 40 or 50' }),
  expires_at: optional(nullable(date({ description: 'Date on which the membership ends' }))),
}

const memberTables = ['members', 'users']

const oneInput = Type.Object({ user_id: integer() })

/** Routes for the members of projects and of groups, which differ only in their path. */
export const memberRoutes: readonly Route[] = (['project', 'group'] as const).flatMap((noun) => [
  ...readingRoutes(noun, 'direct'),
  ...readingRoutes(noun, 'all'),
  ...writingRoutes(noun),
])

function readingRoutes(noun: 'project' | 'group', reach: 'direct' | 'all'): Route[] {
  const base = reach === 'all' ? `/${noun}s/:id/members/all` : `/${noun}s/:id/members`
  const which = reach === 'all' ? ', including inherited members' : ''
  return [
    route({
      method: 'GET',
      path: base,
      ...(reach === 'all' && { rateLimit: perMinute(200) }),
      summary: `List the members of a ${noun}${which}`,
      permission: `${noun}.member.list`,
      input: listInput,
      status: 200,
      output: Type.Array(memberView),
      paged: true,
      cacheTables: memberTables,
      async handle(context) {
        const { deps, input, page, origin } = context
        const found = await findMembers(deps, placeOf(context), { reach, filter: filterFrom(input), page })
        return { ...found, rows: found.rows.map((member) => viewMember(member, origin)) }
      },
    }),
    route({
      method: 'GET',
      path: `${base}/:user_id`,
      summary: `Get a member of a ${noun}${which}`,
      permission: `${noun}.member.list`,
      input: oneInput,
      status: 200,
      output: memberView,
      async handle(context) {
        const { deps, input, origin } = context
        return viewMember(await getMember(deps, placeOf(context), reach, input.user_id), origin)
      },
    }),
  ]
}

function writingRoutes(noun: 'project' | 'group'): Route[] {
  return [
    route({
      method: 'POST',
      path: `/${noun}s/:id/members`,
      summary: `Add one or more members to a ${noun}`,
      permission: `${noun}.member.manage`,
      input: Type.Object(
        { ...terms, user_id: optional(text()), username: optional(text()) },
        { exclusive: [['user_id', 'username']], atLeastOneOf: [['user_id', 'username']] },
      ),
      status: 201,
      output: addedView,
      audit: { event: 'member.added', fields: ['user_id', 'username', 'access_level', 'expires_at'] },
      async handle(context) {
        const { deps, caller, input, origin } = context
        const [place, asked] = [placeOf(context), { accessLevel: input.access_level, expiresOn: input.expires_at }]
        const candidates = candidatesFrom(input)
        const [only, ...others] = candidates.values()
        if (only && others.length === 0)
          return viewMember(await addMember(deps, caller, place, { candidate: only, terms: asked }), origin)
        const problems = await addMembers(deps, caller, place, { candidates, terms: asked })
        return Object.keys(problems).length > 0 ? { status: 'error', message: problems } : { status: 'success' }
      },
    }),
    route({
      method: 'PUT',
      path: `/${noun}s/:id/members/:user_id`,
      summary: `Update a member of a ${noun}`,
      permission: `${noun}.member.manage`,
      input: Type.Object({ ...oneInput.properties, ...terms }),
      status: 200,
      output: memberView,
      audit: { event: 'member.changed', fields: ['user_id', 'access_level', 'expires_at'] },
      async handle(context) {
        const { deps, caller, input, origin } = context
        const asked = { accessLevel: input.access_level, expiresOn: input.expires_at }
        return viewMember(
          await changeMember(deps, caller, placeOf(context), { userId: input.user_id, terms: asked }),
          origin,
        )
      },
    }),
    route({
      method: 'DELETE',
      path: `/${noun}s/:id/members/:user_id`,
      rateLimit: perMinute(60),
      summary: `Remove a member from a ${noun}; members can remove themselves`,
      permission: `${noun}.member.remove`,
      input: oneInput,
      status: 204,
      output: noOutput,
      audit: { event: 'member.removed', fields: ['user_id'] },
      handle: (context) => {
        const { deps, caller, input, unmodifiedSince } = context
        return removeMember(deps, caller, placeOf(context), { userId: input.user_id, unmodifiedSince })
      },
    }),
  ]
}

function filterFrom(input: Static<typeof listInput>): MemberFilter {
  return {
    search: input.query,
    userIds: input.user_ids?.length ? input.user_ids : undefined,
    exceptUserIds: input.skip_users?.length ? input.skip_users : undefined,
    minAccessLevel: input.min_access_level,
  }
}

/** Returns the candidates by the value that the client sent, because errors refer to it. */
function candidatesFrom(input: { user_id?: string; username?: string }): Map<string, Candidate> {
  const names = (input.user_id ?? input.username ?? '').split(',').map((name) => name.trim())
  const read = (name: string): Candidate => {
    if (input.user_id === undefined) return { username: name }
    return /^\d{1,15}$/.test(name) ? { id: Number(name) } : {}
  }
  return new Map(names.map((name) => [name, read(name)]))
}
