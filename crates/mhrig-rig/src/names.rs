use crate::UnknownName;

/// The number of `name` in `names`: the whole name, or the part after its last dot where only one name has it.
///
/// # Errors
/// [`UnknownName`] with the nearest names.
pub(crate) fn find(what: &'static str, names: &[String], name: &str) -> Result<usize, UnknownName> {
    if let Some(exact) = names.iter().position(|candidate| candidate == name) {
        return Ok(exact);
    }
    let mut tails = names.iter().enumerate().filter(|(_, candidate)| tail(candidate) == name);
    if let (Some((index, _)), None) = (tails.next(), tails.next()) {
        return Ok(index);
    }
    Err(UnknownName { what, name: name.to_owned(), nearest: nearest(names, name) })
}

/// Up to three of `names` that come nearest to `name`: first those that contain it, then by edit distance.
pub fn nearest_names<'a>(names: impl Iterator<Item = &'a str>, name: &str) -> Vec<String> {
    nearest(&names.map(str::to_owned).collect::<Vec<_>>(), name)
}

/// Up to three of `names` that come nearest to `name`: first those that contain it, then by edit distance.
fn nearest(names: &[String], name: &str) -> Vec<String> {
    let wanted = tail(name).to_lowercase();
    let limit = (wanted.chars().count() / 2).max(2);
    let mut scored: Vec<(usize, &String)> = names
        .iter()
        .filter_map(|candidate| {
            let own = tail(candidate).to_lowercase();
            let contains = !wanted.is_empty() && own.contains(&wanted);
            let distance = if contains { 0 } else { edit_distance(&wanted, &own) };
            (distance <= limit).then_some((distance, candidate))
        })
        .collect();
    scored.sort_by_key(|&(distance, _)| distance);
    scored.into_iter().take(3).map(|(_, candidate)| candidate.clone()).collect()
}

fn tail(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Levenshtein's distance in characters.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &to) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(from != to);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        [
            "CTRL_expressions.jawOpen",
            "CTRL_expressions.jawLeft",
            "CTRL_expressions.eyeBlinkL",
            "neck.x",
            "head.x",
        ]
        .map(str::to_owned)
        .to_vec()
    }

    #[test]
    fn a_whole_name_and_an_unambiguous_tail_are_found() {
        assert_eq!(find("raw control", &names(), "CTRL_expressions.jawLeft"), Ok(1));
        assert_eq!(find("raw control", &names(), "eyeBlinkL"), Ok(2));
    }

    #[test]
    fn an_ambiguous_tail_is_not_found() {
        let error = find("raw control", &names(), "x").unwrap_err();
        assert_eq!(error.nearest.len(), 2, "{error}");
    }

    #[test]
    fn a_misspelt_name_gets_suggestions_nearest_first() {
        let error = find("raw control", &names(), "CTRL_expressions.jawOpne").unwrap_err();
        assert_eq!(error.nearest[0], "CTRL_expressions.jawOpen");
        assert!(error.to_string().contains("no raw control is called CTRL_expressions.jawOpne"), "{error}");
        assert!(find("raw control", &names(), "somethingElseEntirely").unwrap_err().nearest.is_empty());
    }

    #[test]
    fn distances_count_insertions_deletions_and_substitutions() {
        assert_eq!(edit_distance("kitten", "sitting"), 3);
        assert_eq!(edit_distance("", "abc"), 3);
        assert_eq!(edit_distance("abc", ""), 3);
    }
}
