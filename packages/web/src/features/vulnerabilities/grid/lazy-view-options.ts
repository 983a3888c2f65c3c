import { lazyDialog } from '../../../components/overlay/lazy-dialog.tsx'

export const ViewOptionsDialog = lazyDialog(async () => (await import('./view-options-dialog.tsx')).ViewOptionsDialog)
