import Type, { type Static } from 'typebox'
import {
  type DeployToken,
  type DeployTokenOwner,
  deployTokenScopes,
} from '../../../domain/deploy-tokens/deploy-token.ts'
import {
  createDeployToken,
  findDeployTokens,
  getDeployToken,
  removeDeployToken,
} from '../../../domain/deploy-tokens/deploy-tokens.ts'
import { dateTime, flag, integer, listOf, nullable, optional, text } from '../../../http/params/input.ts'
import { noOutput, type Route } from '../../../http/route.ts'
import { route } from '../route.ts'
import { nullableTimestamp } from '../views.ts'

const fields = {
  id: Type.Integer(),
  name: Type.String(),
  username: Type.String(),
  expires_at: nullableTimestamp,
  scopes: Type.Array(Type.String()),
  revoked: Type.Boolean(),
  expired: Type.Boolean(),
}
const deployTokenView = Type.Object(fields, { title: 'DeployToken' })
const newDeployTokenView = Type.Object(
  { ...fields, token: Type.String({ description: 'Shown only once' }) },
  { title: 'NewDeployToken' },
)

function viewDeployToken(token: DeployToken, now: string): Static<typeof deployTokenView> {
  return {
    id: token.id,
    name: token.name,
    username: token.username ?? `gitlab+deploy-token-${token.id}`,
    expires_at: token.expiresAt,
    scopes: [...token.scopes],
    revoked: token.isRevoked,
    expired: token.expiresAt !== null && token.expiresAt <= now,
  }
}

const active = { active: optional(flag({ description: 'Only tokens that are neither revoked nor expired' })) }
const tokenId = { token_id: integer() }

export const deployTokenRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/deploy_tokens',
    summary: 'List all deploy tokens of the instance',
    permission: 'deploy-token.list',
    input: Type.Object(active),
    status: 200,
    output: Type.Array(deployTokenView),
    paged: true,
    async handle({ deps, input, page }) {
      const found = await findDeployTokens(deps, undefined, input.active ?? false, page)
      return { ...found, rows: found.rows.map((token) => viewDeployToken(token, deps.now())) }
    },
  }),
  ...routesOf('project'),
  ...routesOf('group'),
]

function routesOf(kind: DeployTokenOwner['kind']): readonly Route[] {
  const base = `/${kind}s/:id/deploy_tokens`
  const ownerOf = ({ project, group }: { project?: { id: number }; group?: { id: number } }): DeployTokenOwner => ({
    kind,
    id: project?.id ?? group?.id ?? 0,
  })
  return [
    route({
      method: 'GET',
      path: base,
      summary: `List the deploy tokens of a ${kind}`,
      permission: `${kind}.deploy-token.read`,
      input: Type.Object(active),
      status: 200,
      output: Type.Array(deployTokenView),
      paged: true,
      async handle(context) {
        const { deps, input, page } = context
        const found = await findDeployTokens(deps, ownerOf(context), input.active ?? false, page)
        return { ...found, rows: found.rows.map((token) => viewDeployToken(token, deps.now())) }
      },
    }),
    route({
      method: 'GET',
      path: `${base}/:token_id`,
      summary: `Get a deploy token of a ${kind}`,
      permission: `${kind}.deploy-token.read`,
      input: Type.Object(tokenId),
      status: 200,
      output: deployTokenView,
      handle: async (context) =>
        viewDeployToken(
          await getDeployToken(context.deps, ownerOf(context), context.input.token_id),
          context.deps.now(),
        ),
    }),
    route({
      method: 'POST',
      path: base,
      summary: `Create a deploy token of a ${kind}, which is stored without an effect`,
      permission: `${kind}.deploy-token.manage`,
      input: Type.Object({
        name: text(),
        scopes: listOf(deployTokenScopes, { description: 'Scopes of repositories and registries, without an effect' }),
        expires_at: optional(nullable(dateTime())),
        username: optional(nullable(text({ description: 'Default: `gitlab+deploy-token-` and the ID' }))),
      }),
      status: 201,
      output: newDeployTokenView,
      async handle(context) {
        const { deps, input } = context
        const { name, scopes, expires_at: expiresAt = null, username } = input
        const draft = { name, scopes, expiresAt, username: username || null }
        const { token, secret } = await createDeployToken(deps, ownerOf(context), draft)
        return { ...viewDeployToken(token, deps.now()), token: secret }
      },
    }),
    route({
      method: 'DELETE',
      path: `${base}/:token_id`,
      summary: `Delete a deploy token of a ${kind}`,
      permission: `${kind}.deploy-token.manage`,
      input: Type.Object(tokenId),
      status: 204,
      output: noOutput,
      handle: (context) => removeDeployToken(context.deps, ownerOf(context), context.input.token_id),
    }),
  ]
}
