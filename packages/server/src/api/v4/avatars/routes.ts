import Type, { type Static } from 'typebox'
import type { Caller } from '../../../domain/access/callers.ts'
import type { AvatarOwner } from '../../../domain/avatars/avatar.ts'
import { getAvatar, withAvatar } from '../../../domain/avatars/avatars.ts'
import type { RootDeps } from '../../../domain/deps.ts'
import { avatarUrl } from '../../../domain/files/avatar-url.ts'
import { openIntact } from '../../../domain/files/intact.ts'
import { getUser } from '../../../domain/users/users.ts'
import { blankableImage, integer, text } from '../../../http/params/input.ts'
import { attachment, inline } from '../../../http/response/content-disposition.ts'
import { type Download, untrustedContentPolicy } from '../../../http/response/download.ts'
import { fileOutput, type Route } from '../../../http/route.ts'
import { gone } from '../../../platform/failure.ts'
import { route } from '../route.ts'
import { nullableString } from '../views.ts'
import { anyFile } from './any-file.ts'

const filename = Type.Object({ filename: text() })
const ownAvatarView = Type.Object({ avatar_url: nullableString })

export const avatarRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/projects/:id/avatar',
    summary: 'Download the avatar of a project',
    permission: 'project.avatar',
    status: 200,
    output: fileOutput,
    handle: ({ deps, project }) => download(deps, { owner: 'projects', id: project.id }),
  }),
  route({
    method: 'GET',
    path: '/groups/:id/avatar',
    summary: 'Download the avatar of a group',
    permission: 'group.avatar',
    status: 200,
    output: fileOutput,
    handle: ({ deps, group }) => download(deps, { owner: 'namespaces', id: group.id }),
  }),
  route({
    method: 'PUT',
    path: '/user/avatar',
    summary: 'Set your avatar; a blank one removes it',
    permission: 'self.avatar',
    input: Type.Object({ avatar: blankableImage }),
    status: 200,
    output: ownAvatarView,
    fileLimit: ({ settings }) => anyFile(settings),
    handle: ({ deps, caller, input, origin }) => setOwnAvatar(deps, caller, input, origin),
  }),
  route({
    method: 'GET',
    path: '/uploads/-/system/project/avatar/:id/:filename',
    outside: true,
    summary: 'Get the avatar of a project',
    permission: 'project.avatar',
    input: filename,
    status: 200,
    output: fileOutput,
    handle: ({ deps, project, input }) =>
      show(deps, { owner: 'projects', id: project.id }, input.filename, project.visibility === 'public'),
  }),
  route({
    method: 'GET',
    path: '/uploads/-/system/group/avatar/:id/:filename',
    outside: true,
    summary: 'Get the avatar of a group',
    permission: 'group.avatar',
    input: filename,
    status: 200,
    output: fileOutput,
    handle: ({ deps, group, input }) =>
      show(deps, { owner: 'namespaces', id: group.id }, input.filename, group.visibility === 'public'),
  }),
  route({
    method: 'GET',
    path: '/uploads/-/system/user/avatar/:id/:filename',
    outside: true,
    summary: 'Get the avatar of a user',
    permission: 'user.avatar',
    input: Type.Object({ id: integer(), filename: text() }),
    status: 200,
    output: fileOutput,
    handle: ({ deps, input }) => show(deps, { owner: 'users', id: input.id }, input.filename, true),
  }),
]

interface Place {
  owner: AvatarOwner
  id: number
}

async function setOwnAvatar(
  deps: RootDeps,
  { user }: Caller,
  { avatar }: { avatar: Parameters<typeof withAvatar>[2] | '' },
  origin: string,
): Promise<Static<typeof ownAvatarView>> {
  const changed = await withAvatar(deps, 'users', avatar || null, (deps) => getUser(deps, user.id))
  return { avatar_url: avatarUrl('user', changed, origin) }
}

async function download(deps: RootDeps, { owner, id }: Place): Promise<Download> {
  const avatar = await getAvatar(deps, owner, id)
  const file = { key: avatar.objectKey, bytes: avatar.bytes, sha256: avatar.sha256 }
  return {
    open: (range) => openIntact(deps, file, range),
    bytes: avatar.bytes,
    contentType: avatar.contentType,
    disposition: attachment(avatar.filename),
    etag: `"${avatar.objectKey.slice(-32)}"`,
    contentSecurityPolicy: untrustedContentPolicy,
  }
}

/** Returns the avatar under the name that it has now. Shared caches may store those of public resources. */
async function show(deps: RootDeps, place: Place, filename: string, isPublic: boolean): Promise<Download> {
  const avatar = await getAvatar(deps, place.owner, place.id)
  if (avatar.filename !== filename) throw gone()
  return {
    ...(await download(deps, place)),
    disposition: inline(avatar.filename),
    ...(isPublic && { cacheControl: 'max-age=300, public' }),
  }
}
