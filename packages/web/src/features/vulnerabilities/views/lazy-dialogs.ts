import { lazyComponent, nothingYet } from '../../../components/lazy-component.tsx'

export const SaveView = lazyComponent(async () => (await import('./view-dialogs.tsx')).SaveView, nothingYet)
export const RenameView = lazyComponent(async () => (await import('./view-dialogs.tsx')).RenameView, nothingYet)
export const DeleteView = lazyComponent(async () => (await import('./view-dialogs.tsx')).DeleteView, nothingYet)
