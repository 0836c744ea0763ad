use mhrig_dna::LodMapping;

/// New numbers of items of which some are removed.
pub(super) struct Renumbering {
    new: Vec<Option<u16>>,
    kept: usize,
}

impl Renumbering {
    /// For `count` items without those for which `is_removed` holds.
    pub(super) fn new(count: usize, is_removed: impl Fn(usize) -> bool) -> Self {
        let mut kept = 0;
        let new = (0..count)
            .map(|item| {
                if is_removed(item) {
                    return None;
                }
                kept += 1;
                u16::try_from(kept - 1).ok()
            })
            .collect();
        Self { new, kept }
    }

    pub(super) fn kept(&self) -> usize {
        self.kept
    }

    pub(super) fn is_removed(&self, item: usize) -> bool {
        self.new.get(item).is_some_and(Option::is_none)
    }

    /// The new number; numbers that never were an item stay as they are.
    pub(super) fn of(&self, item: u16) -> Option<u16> {
        self.new.get(usize::from(item)).copied().unwrap_or(Some(item))
    }

    /// Keeps the entries of kept items in a list with one entry per item; surplus entries stay.
    pub(super) fn keep<T>(&self, list: &mut Vec<T>) {
        let mut item = 0;
        list.retain(|_| {
            item += 1;
            !self.is_removed(item - 1)
        });
    }

    pub(super) fn numbers(&self, numbers: &mut Vec<u16>) {
        *numbers = numbers.iter().filter_map(|&number| self.of(number)).collect();
    }

    pub(super) fn lods(&self, mapping: &mut LodMapping) {
        mapping.indices.iter_mut().for_each(|row| self.numbers(row));
    }
}

/// Whether an item is named by the list of any LOD.
pub(super) fn is_listed(mapping: &LodMapping, item: usize) -> bool {
    (0..mapping.lods.len()).any(|lod| mapping.members(lod).iter().any(|&member| usize::from(member) == item))
}

/// Takes out of parallel arrays the rows for which `stays` is false and takes them off the counts of leading rows in
/// `lods`. Gives back which rows stayed.
pub(super) fn kept_rows(rows: usize, lods: &mut [u16], stays: impl Fn(usize) -> bool) -> Vec<usize> {
    let kept: Vec<usize> = (0..rows).filter(|&row| stays(row)).collect();
    for lod in lods {
        let leading = usize::from(*lod).min(rows);
        let surplus = usize::from(*lod) - leading;
        *lod = (kept.partition_point(|&row| row < leading) + surplus) as u16;
    }
    kept
}

/// The entries `kept` of `list`.
pub(super) fn pick<T: Copy>(list: &mut Vec<T>, kept: &[usize]) {
    *list = kept.iter().filter_map(|&at| list.get(at).copied()).collect();
}
