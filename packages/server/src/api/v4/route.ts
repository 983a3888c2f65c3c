import type { Static, TObject, TSchema } from 'typebox'
import type { Caller } from '../../domain/access/callers.ts'
import type { Permission, permissions } from '../../domain/access/permissions.ts'
import type { RootDeps } from '../../domain/deps.ts'
import type { Namespace } from '../../domain/namespaces/namespace.ts'
import type { Page, PageRequest } from '../../domain/page.ts'
import type { Project } from '../../domain/projects/project.ts'
import type { BasicVulnerability } from '../../domain/vulnerabilities/vulnerability.ts'
import type { KeysetPage } from '../../http/response/pages.ts'
import type { RenderedRow } from '../../http/response/rendered-row.ts'
import type { CreateMissing, CreationContext, FileLimit, Route, RouteContext } from '../../http/route.ts'

type Row<P extends Permission> = (typeof permissions)[P]

/** The resource that the permission's row provides to the handler. A union of permissions gives a union. */
type ResourceOf<P extends Permission> = P extends Permission
  ? Row<P>['on'] extends 'project'
    ? { project: Project; level: number }
    : Row<P>['on'] extends 'group'
      ? { group: Namespace; level: number }
      : Row<P>['on'] extends 'vulnerability'
        ? { vulnerability: BasicVulnerability; project: Project }
        : unknown
  : never

/** Anonymous requests reach only the rows that are open to anyone. */
type CallerOf<P extends Permission> = P extends Permission
  ? Row<P>['who'] extends 'anyone'
    ? Caller | null
    : Caller
  : never

type Context<P extends Permission, I extends TObject> = ResourceOf<P> &
  Omit<RouteContext, 'caller' | 'level' | 'input' | 'page'> & {
    caller: CallerOf<P>
    input: Static<I>
    /** The requested page, on routes with `paged`. */
    page: PageRequest
  }

type Untyped =
  | 'permission'
  | 'input'
  | 'output'
  | 'isUnfinished'
  | 'isPersonal'
  | 'fileLimit'
  | 'createMissing'
  | 'check'
  | 'handle'

/** A route with the types of its input, its output and the resource that its permission's row provides. */
interface RouteDefinition<P extends Permission, I extends TObject, O extends TSchema> extends Omit<Route, Untyped> {
  permission: P
  input?: I
  output: O
  isUnfinished?: (answer: Static<O>) => boolean
  isPersonal?: (context: { deps: RootDeps; input: Static<I> }) => boolean
  fileLimit?: (deps: RootDeps, found: ResourceOf<P>) => FileLimit | Promise<FileLimit>
  createMissing?: Omit<CreateMissing, 'create'> & {
    create(context: Omit<CreationContext, 'input'> & { input: Static<I> }): Promise<boolean>
  }
  check?(context: Context<P, I>): Promise<void>
  handle(context: Context<P, I>): Promise<Answer<O>>
}

/** The result of a handler: for a list either one page or all of it. Rows of a page may be rendered already. */
type Answer<O extends TSchema> =
  Static<O> extends (infer Item)[]
    ? Listed<Item> | Listed<RenderedRow<Item>> | Item[]
    : Static<O> | RenderedRow<Static<O>>
type Listed<Item> = Page<Item> | KeysetPage<Item>

/** Returns the routes, and the same ones at their former path. */
export function withFormerPath(routes: readonly Route[], path: string, former: string): Route[] {
  const renamed = routes.map((one): Route => ({ ...one, path: one.path.replace(path, former), isDeprecated: true }))
  return [...routes, ...renamed]
}

export function route<P extends Permission, I extends TObject, O extends TSchema>(
  definition: RouteDefinition<P, I, O>,
): Route {
  return definition as unknown as Route // the guard provides exactly the context that the permission's row promises
}
