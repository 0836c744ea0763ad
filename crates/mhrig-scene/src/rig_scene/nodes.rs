//! Transforms, joints, layers, materials, sets: everything that is no deformer and computes nothing.

/// One attribute of one node: `CTRL_C_jaw.translateY`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Plug {
    /// Name of the node, with namespace.
    pub node: String,
    /// Long name of the attribute, with its index where it has one: `translateY`, `input[2]`.
    pub attribute: String,
}

impl Plug {
    /// The attribute `attribute` of `node`.
    pub fn new(node: impl Into<String>, attribute: impl Into<String>) -> Self {
        Self { node: node.into(), attribute: attribute.into() }
    }
}

impl std::fmt::Display for Plug {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.node, self.attribute)
    }
}

/// A value that flows from one attribute to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Where it comes from.
    pub from: Plug,
    /// Where it goes.
    pub to: Plug,
}

/// A transform that is no joint: a group, a control, a locator, a holder of attributes.
#[derive(Clone, Debug, PartialEq)]
pub struct TransformNode {
    /// Its name, with namespace.
    pub name: String,
    /// The transform that it is below of.
    pub parent: Option<String>,
    /// Local translation, cm.
    pub translate: [f64; 3],
    /// Local rotation about x, y, z in degrees, x first.
    pub rotate: [f64; 3],
    /// Local scale.
    pub scale: [f64; 3],
    /// Whether it and what is below it is shown.
    pub visible: bool,
    /// What is drawn for it.
    pub shape: Shape,
    /// Index of the colour that it is drawn in; `None` for the host's own.
    pub color: Option<u8>,
    /// Whether it is only looked at: drawn, but not selectable.
    pub is_template: bool,
    /// Limits of translations, per axis.
    pub limits: [Option<Limit>; 3],
    /// Attributes of its nine (`translateX` … `scaleZ`, and `visibility`) that are locked and hidden.
    pub locked: Vec<String>,
    /// Attributes that it has beyond those of every transform.
    pub attributes: Vec<CustomAttribute>,
}

impl TransformNode {
    /// A group without a shape at the origin of `parent`.
    pub fn group(name: impl Into<String>, parent: Option<&str>) -> Self {
        Self {
            name: name.into(),
            parent: parent.map(str::to_owned),
            translate: [0.0; 3],
            rotate: [0.0; 3],
            scale: [1.0; 3],
            visible: true,
            shape: Shape::None,
            color: None,
            is_template: false,
            limits: [None; 3],
            locked: Vec::new(),
            attributes: Vec::new(),
        }
    }

    /// The same at another place.
    #[must_use]
    pub fn at(mut self, translate: [f64; 3]) -> Self {
        self.translate = translate;
        self
    }

    /// The same with a shape.
    #[must_use]
    pub fn with_shape(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }

    /// The same in a colour.
    #[must_use]
    pub fn with_color(mut self, color: u8) -> Self {
        self.color = Some(color);
        self
    }

    /// The same with more locked attributes.
    #[must_use]
    pub fn with_locked<'a>(mut self, attributes: impl IntoIterator<Item = &'a str>) -> Self {
        self.locked.extend(attributes.into_iter().map(str::to_owned));
        self
    }
}

/// What is drawn for a transform.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum Shape {
    /// Nothing.
    #[default]
    None,
    /// A cross.
    Locator {
        /// Half its width, cm.
        size: f64,
    },
    /// A line through points.
    Curve {
        /// The points in the transform's space, cm.
        points: Vec<[f64; 3]>,
    },
    /// A word.
    Label {
        /// The word.
        text: String,
    },
}

/// The range that an attribute is kept in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The least value.
    pub min: f64,
    /// The greatest value.
    pub max: f64,
}

/// An attribute that a node was given: a number that can be animated.
#[derive(Clone, Debug, PartialEq)]
pub struct CustomAttribute {
    /// Its name, short and long.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// The range that it is kept in.
    pub limit: Option<Limit>,
    /// Whether it is shown and can be keyed.
    pub keyable: bool,
}

/// A joint. Its neutral rotation is the orient; the rotation itself is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name, with namespace.
    pub name: String,
    /// The joint or transform that it is below of.
    pub parent: Option<String>,
    /// Local translation, cm.
    pub translate: [f64; 3],
    /// Orient about x, y, z in degrees, x first.
    pub orient: [f64; 3],
    /// Size in which it is drawn, cm.
    pub radius: f64,
    /// Index of the colour that it is drawn in.
    pub color: Option<u8>,
    /// Attributes that it has beyond those of every joint.
    pub attributes: Vec<CustomAttribute>,
}

/// A layer of things that are shown together.
#[derive(Clone, Debug, PartialEq)]
pub struct DisplayLayer {
    /// Its name, with namespace.
    pub name: String,
    /// Transforms in it.
    pub members: Vec<String>,
    /// Whether it is shown.
    pub visible: bool,
}

/// A material without pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name, with namespace.
    pub name: String,
    /// Colour, linear RGB.
    pub color: [f64; 3],
    /// How much shows through: 0 nothing, 1 all.
    pub transparency: f64,
}

/// A set of nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectSet {
    /// Its name, with namespace.
    pub name: String,
    /// The nodes in it.
    pub members: Vec<String>,
}
