import { lazyComponent } from '../components/lazy-component.tsx'
import type { Access } from '../components/page/screen-table.ts'
import { levels, mayWrite } from '../data/session.ts'

const UploadsDenied = lazyComponent(async () => (await import('../features/uploads/uploads-denied.tsx')).UploadsDenied)

export const signedIn: Access = { isAllowed: ({ session }) => session.user !== null }
export const uploader: Access = {
  isAllowed: ({ session, level, isReadOnly }) => (mayWrite(session) && !isReadOnly) || level >= levels.maintainer,
  denied: UploadsDenied,
}
export const writer: Access = { isAllowed: ({ session }) => mayWrite(session), denied: UploadsDenied }
