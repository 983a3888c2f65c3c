import { hash } from 'node:crypto'
import { invalid, notFound, refused } from '../../../platform/failure.ts'
import { type Deps, transaction } from '../../deps.ts'
import type { User } from '../../users/user.ts'
import { recordDownload, recordUploadAudit } from '../audited-upload.ts'
import { assertReadable } from '../scans/readable.ts'
import type { Upload } from '../upload.ts'
import { findUpload } from '../upload-queries.ts'
import type { UploadLink } from './upload-link.ts'
import {
  addUse,
  countLinks,
  deleteExpiredLinks,
  deleteLink,
  findLinkByHash,
  insertLink,
  listLinks,
  lockUpload,
} from './upload-link-queries.ts'

const dayMs = 24 * 60 * 60 * 1000
const defaultDays = 7
/** Maximum number of links to one upload that have not expired. */
const maxLinks = 50
const maxNameLength = 255

const digest = (token: string) => hash('sha256', token, 'hex')

/** Creates a link to an upload. Only the result has the token, because only its hash is stored. */
export function createLink(
  deps: Deps,
  upload: Upload,
  creator: User,
  { name = '', expiresAt }: { name?: string | undefined; expiresAt?: string | undefined },
): Promise<{ link: UploadLink; token: string }> {
  if (name.length > maxNameLength) throw invalid({ name: [`is too long (maximum is ${maxNameLength} characters)`] })
  const expires = expiryOf(deps, expiresAt)
  return transaction(deps, async (deps) => {
    if (!(await lockUpload(deps.db, upload.id))) throw notFound()
    if ((await countLinks(deps.db, upload.id, deps.now())) >= maxLinks) {
      throw refused(`an upload can have ${maxLinks} links; revoke one that is not needed`)
    }
    const token = deps.random(32).toString('base64url')
    const draft = {
      uploadId: upload.id,
      name: name.trim(),
      createdBy: { id: creator.id, username: creator.username, name: creator.name },
      createdAt: deps.now(),
      expiresAt: expires,
      uses: 0,
      lastUsedAt: null,
    }
    const id = await insertLink(deps.db, draft, digest(token))
    await recordUploadAudit(deps, 'upload_link_created', upload, { link_id: id, expires_at: expires })
    return { link: { ...draft, id }, token }
  })
}

/** Returns the time of expiry, which must be in the future and within the maximum of the settings. */
function expiryOf({ now, settings }: Deps, wanted: string | undefined): string {
  const { uploadLinkDays } = settings
  if (uploadLinkDays === 0) throw refused('links to uploads are turned off on this server (ALCOVE_UPLOAD_LINK_DAYS)')
  const start = Date.parse(now())
  const expires = wanted === undefined ? start + Math.min(defaultDays, uploadLinkDays) * dayMs : Date.parse(wanted)
  if (expires <= start) throw invalid({ expires_at: ['must be in the future'] })
  if (expires > start + uploadLinkDays * dayMs) {
    throw invalid({ expires_at: [`must be within ${uploadLinkDays} days, the maximum of this server`] })
  }
  return new Date(expires).toISOString()
}

export const findLinks = ({ db, now }: Deps, upload: Upload): Promise<UploadLink[]> => listLinks(db, upload.id, now())

/** Revokes a link. Its address then looks like one that never existed. */
export function revokeLink(deps: Deps, upload: Upload, id: number): Promise<void> {
  return transaction(deps, async (deps) => {
    if (!(await deleteLink(deps.db, upload.id, id))) throw notFound()
    await recordUploadAudit(deps, 'upload_link_revoked', upload, { link_id: id })
  })
}

/** A link that is in use, with the upload behind it. */
export interface OpenLink {
  upload: Upload
  /** Counts a download, unless it continues an earlier one, and records it where the operator wants it. */
  count(isContinued: boolean): Promise<void>
}

/** Returns the upload of a link. Unknown, revoked and expired links look the same, as do those of deleted uploads. */
export async function openLink(deps: Deps, token: string): Promise<OpenLink> {
  const found = deps.settings.uploadLinkDays > 0 && (await findLinkByHash(deps.db, digest(token), deps.now()))
  const upload = found && (await findUpload(deps.db, found.owner, found.uploadId))
  if (!upload || upload.deletedAt !== null) throw notFound()
  assertReadable(deps, upload)
  return {
    upload,
    async count(isContinued) {
      if (!isContinued) await addUse(deps.db, found.id, deps.now())
      await recordDownload(deps, upload, { link_id: found.id })
    },
  }
}

/** Deletes the rows of expired links. */
export const removeExpiredLinks = ({ db, now }: Deps): Promise<void> => deleteExpiredLinks(db, now())
