import { Button } from '../../../components/button.tsx'
import { CheckField, SelectField } from '../../../components/form/field.tsx'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { texts } from '../texts.ts'
import { densities, type OptionalColumn, optionalColumns, type ViewOptions } from './view-options.ts'

/** Dialog that chooses the columns and the density of lists. Changes apply at once. */
export function ViewOptionsDialog({
  columns,
  options,
  onChange,
  onClose,
}: {
  /** Keys of the columns that the list has. */
  columns: readonly string[]
  options: ViewOptions
  onChange: (options: ViewOptions) => void
  onClose: () => void
}) {
  const toggle = (column: OptionalColumn, isShown: boolean) =>
    isShown ? options.hidden.filter((other) => other !== column) : [...options.hidden, column]
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
          {optionalColumns
            .filter(({ key }) => columns.includes(key))
            .map(({ key, label }) => (
              <CheckField
                key={key}
                label={label}
                checked={!options.hidden.includes(key)}
                onChange={({ target }) => onChange({ ...options, hidden: toggle(key, target.checked) })}
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
