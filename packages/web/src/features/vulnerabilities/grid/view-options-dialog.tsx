import { Button } from '../../../components/button.tsx'
import { CheckField, SelectField } from '../../../components/form/field.tsx'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { texts } from '../texts.ts'
import { densities, optionalColumns, type ViewOptions } from './view-options.ts'

/** Dialog that chooses the columns and the density of lists. Changes apply at once. */
export function ViewOptionsDialog({
  options,
  onChange,
  onClose,
}: {
  options: ViewOptions
  onChange: (options: ViewOptions) => void
  onClose: () => void
}) {
  const toggle = (name: string, isShown: boolean) =>
    optionalColumns.filter((other) => (other === name ? isShown : options.columns.includes(other)))
  return (
    <Dialog isOpen onClose={onClose} title={texts.viewOptions} lead={texts.narrowWindowsShowFewer}>
      <div className="stack">
        <SelectField
          label={texts.density}
          choices={densities}
          value={options.density}
          onChoose={(density) => onChange({ ...options, density })}
        />
        <fieldset className="stack-tight">
          <legend>{texts.columns}</legend>
          {optionalColumns.map((name) => (
            <CheckField
              key={name}
              label={name}
              checked={options.columns.includes(name)}
              onChange={({ target }) => onChange({ ...options, columns: toggle(name, target.checked) })}
            />
          ))}
        </fieldset>
        <DialogActions>
          <Button kind="primary" onClick={onClose}>
            {texts.done}
          </Button>
        </DialogActions>
      </div>
    </Dialog>
  )
}
