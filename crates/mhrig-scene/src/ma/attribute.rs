//! Names of attributes: `.vt[0:165]`, `head.translateX`, `.uvst[0].uvsp[0:13]`.

/// One step of an attribute name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step<'a> {
    /// The attribute's short or long name.
    pub(super) name: &'a str,
    /// First and last element, where an index is given.
    pub(super) range: Option<(u32, u32)>,
}

impl Step<'_> {
    /// Number of elements that the index names.
    pub(super) fn len(&self) -> Option<u64> {
        self.range.map(|(first, last)| u64::from(last) + 1 - u64::from(first))
    }
}

/// A node, where one is named, and the way to one of its attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct AttributePath<'a> {
    /// `None` for the current node.
    pub(super) node: Option<&'a str>,
    pub(super) steps: Vec<Step<'a>>,
}

impl<'a> AttributePath<'a> {
    /// `None` when `text` names no attribute.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        const DEEPEST: usize = 16;
        let (node, attribute) = text.split_once('.')?;
        let steps: Option<Vec<_>> = attribute.split('.').take(DEEPEST).map(parse_step).collect();
        Some(Self { node: (!node.is_empty()).then_some(node), steps: steps? })
    }
}

fn parse_step(text: &str) -> Option<Step<'_>> {
    let Some((name, index)) = text.split_once('[') else {
        return (!text.is_empty()).then_some(Step { name: text, range: None });
    };
    let index = index.strip_suffix(']')?;
    // `[*]` and `[-1]` stand for elements that do not exist yet; no file that Maya saves has them
    let (first, last) = index.split_once(':').unwrap_or((index, index));
    let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
    (first <= last && !name.is_empty()).then_some(Step { name, range: Some((first, last)) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ranges_and_nodes_are_told_apart() {
        let path = AttributePath::parse("|grp|ns:head.uvst[2].uvsp[0:13]").unwrap();
        assert_eq!(path.node, Some("|grp|ns:head"));
        assert_eq!(
            path.steps,
            [Step { name: "uvst", range: Some((2, 2)) }, Step { name: "uvsp", range: Some((0, 13)) }]
        );
        assert_eq!(path.steps[1].len(), Some(14));
        assert_eq!(AttributePath::parse(".t").unwrap().node, None);
    }

    #[test]
    fn what_is_no_attribute_is_refused() {
        for text in
            ["", "head", ".", ".vt[", ".vt[a]", ".vt[3:1]", ".vt[-1]", ".[0]", ".a..b", ".vt[99999999999]"]
        {
            assert_eq!(AttributePath::parse(text), None, "{text}");
        }
        let path = AttributePath::parse(".vt[0:4294967295]").unwrap();
        assert_eq!(path.steps[0].len(), Some(1 << 32));
    }
}
