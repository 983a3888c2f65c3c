import { lazyDialog } from '../../../components/overlay/lazy-dialog.tsx'

export const SaveView = lazyDialog(async () => (await import('./view-dialogs.tsx')).SaveView)
export const RenameView = lazyDialog(async () => (await import('./view-dialogs.tsx')).RenameView)
export const DeleteView = lazyDialog(async () => (await import('./view-dialogs.tsx')).DeleteView)
