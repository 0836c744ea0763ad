//! What the meshes of a character look like in a picture, told from their names.

use mhrig_geom::fit_sphere;
use mhrig_view::{EyeLook, Paint};
use nalgebra::Vector3;

/// Look of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Look {
    /// Transparent in reality, and in front of what matters.
    Hidden,
    /// An eyeball.
    Eye { center: [f32; 3] },
    /// One colour (linear RGB) and a strength of highlights.
    Plain { color: [f32; 3], gloss: f32 },
}

impl Look {
    /// The look of the mesh `name` with these vertices at rest.
    pub(crate) fn of(name: &str, rest: &[[f32; 3]]) -> Self {
        let name = name.to_lowercase();
        let has = |part: &str| name.contains(part);
        if ["eyeshell", "eyeedge", "saliva"].into_iter().any(has) {
            return Self::Hidden;
        }
        if has("eyeleft") || has("eyeright") {
            let points: Vec<Vector3<f64>> = rest.iter().map(|p| Vector3::from(p.map(f64::from))).collect();
            if let Some(sphere) = fit_sphere(&points) {
                let center = [sphere.center.x, sphere.center.y, sphere.center.z].map(|c| c as f32);
                return Self::Eye { center };
            }
        }
        if has("eyelash") || has("eyebrow") {
            Self::Plain { color: [0.035, 0.022, 0.016], gloss: 0.0 }
        } else if has("teeth") {
            Self::Plain { color: [0.68, 0.60, 0.52], gloss: 0.18 }
        } else if has("cartilage") {
            Self::Plain { color: [0.55, 0.34, 0.30], gloss: 0.2 }
        } else {
            Self::Plain { color: [0.66, 0.45, 0.36], gloss: 0.05 }
        }
    }

    /// Paint and strength of highlights; `None` for what is not shown.
    pub(crate) fn paint<'a>(&self, rest: &'a [[f32; 3]]) -> Option<(Paint<'a>, f32)> {
        match *self {
            Self::Hidden => None,
            Self::Plain { color, gloss } => Some((Paint::Uniform(color), gloss)),
            Self::Eye { center } => {
                let look = EyeLook { rest, center, forward: [0.0, 0.0, 1.0], iris: [0.10, 0.16, 0.14] };
                Some((Paint::Eye(look), 0.7))
            }
        }
    }
}
