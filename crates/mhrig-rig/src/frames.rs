//! Control values as text, one frame a line, and results as JSON, one object a line.

use std::fmt::Write;

use crate::{EvaluationError, Instance};

/// Which controls the values of a frame are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum FrameControls {
    /// Raw controls.
    #[default]
    Raw,
    /// GUI controls; raw controls are computed from them.
    Gui,
}

/// One frame: what to set before an evaluation.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Frame {
    /// LOD to change to; stays as it is where absent.
    pub lod: Option<usize>,
    /// Network numbers and the masks to give them.
    pub masks: Vec<(usize, f32)>,
    /// One value per control.
    pub values: Vec<f32>,
}

/// What is wrong with a line of frames.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("line {line}: {problem}")]
pub struct FrameError {
    /// Line number, from 1.
    pub line: usize,
    /// What is wrong.
    #[source]
    pub problem: FrameProblem,
}

/// See [`FrameError`].
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameProblem {
    /// A word that should be a number.
    #[error("{word:?} is not a number")]
    NotANumber {
        /// The word.
        word: String,
    },
    /// A setting that is not `lod=K` or `mask=I:V`.
    #[error("{word:?} is not a setting: expected lod=K or mask=I:V")]
    Setting {
        /// The word.
        word: String,
    },
    /// The number of values is not the number of controls.
    #[error("{found} values, but the rig has {expected} controls of this kind")]
    Count {
        /// Number of controls.
        expected: usize,
        /// Number of values.
        found: usize,
    },
    /// The rig does not take the frame.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
}

/// Reads frames: per line `lod=K`, any number of `mask=I:V`, then `control_count` values, separated by spaces.
/// Empty lines and lines that begin with `#` are passed over. Each frame comes with its line number.
///
/// # Errors
/// [`FrameError`] for the first line that is not of this form.
pub fn parse_frames(text: &str, control_count: usize) -> Result<Vec<(usize, Frame)>, FrameError> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|(line, text)| {
            let frame = parse_frame(text).and_then(|frame| {
                let (expected, found) = (control_count, frame.values.len());
                if expected == found { Ok(frame) } else { Err(FrameProblem::Count { expected, found }) }
            });
            Ok((line, frame.map_err(|problem| FrameError { line, problem })?))
        })
        .collect()
}

fn parse_frame(line: &str) -> Result<Frame, FrameProblem> {
    let mut frame = Frame::default();
    for word in line.split_whitespace() {
        let Some((key, setting)) = word.split_once('=') else {
            frame.values.push(number(word)?);
            continue;
        };
        let bad = || FrameProblem::Setting { word: word.to_owned() };
        match key {
            "lod" => frame.lod = Some(setting.parse().map_err(|_| bad())?),
            "mask" => {
                let (network, value) = setting.split_once(':').ok_or_else(bad)?;
                frame.masks.push((network.parse().map_err(|_| bad())?, number(value)?));
            }
            _ => return Err(bad()),
        }
    }
    Ok(frame)
}

fn number(word: &str) -> Result<f32, FrameProblem> {
    word.parse().map_err(|_| FrameProblem::NotANumber { word: word.to_owned() })
}

impl Instance {
    /// Sets LOD, masks and controls as `frame` says, and evaluates.
    ///
    /// # Errors
    /// When the rig does not take one of them, or the result is not finite.
    pub fn evaluate_frame(&mut self, frame: &Frame, controls: FrameControls) -> Result<(), EvaluationError> {
        self.set_frame(frame, controls)?;
        self.calculate()
    }

    /// Sets LOD, masks and controls as `frame` says.
    ///
    /// # Errors
    /// When the rig does not take one of them.
    pub fn set_frame(&mut self, frame: &Frame, controls: FrameControls) -> Result<(), EvaluationError> {
        if let Some(lod) = frame.lod {
            self.set_lod(lod)?;
        }
        for &(network, value) in &frame.masks {
            self.set_network_mask(network, value)?;
        }
        match controls {
            FrameControls::Raw => self.set_raw_controls(&frame.values)?,
            FrameControls::Gui => {
                self.set_gui_controls(&frame.values)?;
                self.map_gui_to_raw();
            }
        }
        Ok(())
    }

    /// Appends the present result as one JSON object without line end: the keys `lod`, `raw`, `psd`, `ml`, `rbf`,
    /// `joints` (deltas), `bs`, `am`, `neutral`. Numbers are the shortest decimals that read back to the same
    /// value; NaN and infinities, which only a rig for comparisons gives, are the bare words `NaN` and `Infinity`.
    pub fn write_json_line(&self, line: &mut String) {
        let _ = write!(line, "{{\"lod\":{}", self.lod());
        let lists: [(&str, &[f32]); 8] = [
            ("raw", self.raw_controls()),
            ("psd", self.psds()),
            ("ml", self.ml_controls()),
            ("rbf", self.rbf_controls()),
            ("joints", self.joints()),
            ("bs", self.blend_shapes()),
            ("am", self.animated_maps()),
            ("neutral", self.rig().neutral()),
        ];
        for (key, values) in lists {
            let _ = write!(line, ",\"{key}\":[");
            for (at, &value) in values.iter().enumerate() {
                if at > 0 {
                    line.push(',');
                }
                write_number(line, value);
            }
            line.push(']');
        }
        line.push('}');
    }
}

/// Appends the shortest decimal that reads back to `value`.
fn write_number(text: &mut String, value: f32) {
    let magnitude = value.abs();
    let _ = if value.is_nan() {
        write!(text, "NaN")
    } else if value.is_infinite() {
        write!(text, "{}Infinity", if value < 0.0 { "-" } else { "" })
    } else if magnitude == 0.0 || (1e-5..1e9).contains(&magnitude) {
        write!(text, "{value}")
    } else {
        write!(text, "{value:e}")
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_holds_lod_masks_and_values() {
        let frames = parse_frames("# a comment\nlod=1 mask=1:0.5 mask=0:1 0.25 -1e-3\n\n0 1\n", 2).unwrap();
        let first = Frame { lod: Some(1), masks: vec![(1, 0.5), (0, 1.0)], values: vec![0.25, -1e-3] };
        let second = Frame { values: vec![0.0, 1.0], ..Default::default() };
        assert_eq!(frames, [(2, first), (4, second)]);
    }

    #[test]
    fn bad_lines_say_where_and_what() {
        for (text, message) in [
            ("0 0\n0 x\n", "line 2: \"x\" is not a number"),
            ("0\n", "line 1: 1 values, but the rig has 2 controls of this kind"),
            ("lod=x 0 0", "line 1: \"lod=x\" is not a setting: expected lod=K or mask=I:V"),
            ("mask=1 0 0", "line 1: \"mask=1\" is not a setting: expected lod=K or mask=I:V"),
            ("eye=1 0 0", "line 1: \"eye=1\" is not a setting: expected lod=K or mask=I:V"),
        ] {
            assert_eq!(parse_frames(text, 2).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn numbers_read_back_to_the_same_value() {
        for value in
            [0.0, -0.0, 0.25, 1.0, -18.5, 1e-7, 5e-39, 3.4e38, 0.1, 16_777_216.0, 1.0e-5, 123_456.79f32]
        {
            let mut text = String::new();
            write_number(&mut text, value);
            assert_eq!(text.parse::<f32>().unwrap().to_bits(), value.to_bits(), "{text}");
            assert!(serde_json::from_str::<f64>(&text).is_ok(), "{text}");
        }
        let mut text = String::new();
        for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            write_number(&mut text, value);
            text.push(' ');
        }
        assert_eq!(text, "NaN Infinity -Infinity ");
    }
}
