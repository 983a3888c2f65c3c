import type { GraphQLResolveInfo } from 'graphql'
import type { Caller } from '../../domain/access/callers.ts'
import type { Permission } from '../../domain/access/permissions.ts'
import type { RootDeps } from '../../domain/deps.ts'
import type { RouteContext } from '../../http/route.ts'
import { Failure } from '../../platform/failure.ts'
import { openLoaders } from './loaders.ts'

/** What the resolvers of one request share. */
export interface Context {
  readonly deps: RootDeps
  readonly caller: Caller | null
  readonly origin: string
  /** Checks a permission of the caller. Throws as the guard does. */
  readonly permit: RouteContext['permit']
  readonly load: ReturnType<typeof openLoaders>
  /** Whether the caller has a permission in a project, by both. */
  readonly rights: Map<string, Promise<boolean>>
  /** Number of details in the response so far. */
  readonly details: { count: number }
}

export function openContext({ deps, caller, origin, permit }: RouteContext): Context {
  return { deps, caller, origin, permit, load: openLoaders(deps), rights: new Map(), details: { count: 0 } }
}

/**
 * Resolver of a field. Its source and arguments have the types that the schema promises, which TypeScript does not know:
 * `never` accepts a function of any of them.
 */
type Resolver = (source: never, args: never, context: Context, info: GraphQLResolveInfo) => unknown

/** Part of the schema: types, and the resolvers of the fields that are more than a property of their source. */
export interface SchemaPart {
  readonly types: string
  readonly resolvers?: Readonly<Record<string, Readonly<Record<string, Resolver>>>>
}

/** Returns the project or group of a reference if the caller has a permission in it, also by a former path. */
export async function permitPlace<Place>(context: Context, permission: Permission, reference: string): Promise<Place> {
  try {
    const { resources } = await context.permit(permission, reference)
    return (resources['project'] ?? resources['group']) as Place // the permission's row provides one
  } catch (error) {
    if (!(error instanceof Failure) || error.cause.kind !== 'moved') throw error
    return permitPlace(context, permission, String(error.cause.id))
  }
}

const hiding: readonly string[] = ['unauthenticated', 'forbidden', 'not-found', 'scope-too-small']

/** Whether an error means that the caller may not see or do something. GitLab's GraphQL does not say which. */
export function isRefusal(error: unknown): boolean {
  return error instanceof Failure && hiding.includes(error.cause.kind)
}

/** Returns null for what the caller may not see. */
export async function visible<T>(found: Promise<T>): Promise<T | null> {
  try {
    return await found
  } catch (error) {
    if (isRefusal(error)) return null
    throw error
  }
}
