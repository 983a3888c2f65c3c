import { lazyDialog } from '../../../components/overlay/lazy-dialog.tsx'

export const KeysDialog = lazyDialog(async () => (await import('./dialogs/keys-dialog.tsx')).KeysDialog)
