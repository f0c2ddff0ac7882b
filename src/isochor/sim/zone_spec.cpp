#include "isochor/sim/zone_spec.h"

#include <array>
#include <fmt/format.h>
#include <set>

#include "isochor/base/error.h"

namespace isochor::sim {
namespace {

constexpr std::array<std::string_view, 3> kZoneMethods{"exact", "multiplier", "linear"};
constexpr std::array<std::string_view, 5> kZonePlaces{"all", "painted", "box", "region", "rings"};

void check_zone(const ZoneSpec& zone, const BodySpec& body) {
  const auto refuse = [&](std::string_view key, std::string what, std::string remedy) {
    throw Error(Fault::Input, zone.place.text(key), std::move(what), std::move(remedy));
  };
  if (zone.where == "region" && body.tets.empty()) {
    refuse("where", "a region is part of a file of tets, and the body has none",
           "give the body tets = \"...\", or choose another place");
  }
  const auto painted = [&] {
    for (const PaintSpec& paint : body.paints) {
      if (paint.quantity == "zone") return true;
    }
    return false;
  };
  if (zone.where == "painted" && !painted()) {
    refuse("where", "nothing is painted as a zone on this body",
           "add a [[body.paint]] with quantity = \"zone\", or choose another place");
  }
  for (std::size_t k = 1; k < zone.keys.size(); ++k) {
    if (zone.keys[k].frame > zone.keys[k - 1].frame) continue;
    refuse(fmt::format("key[{}].frame", k),
           fmt::format("{} does not follow {}", zone.keys[k].frame, zone.keys[k - 1].frame),
           "list keys in the order of their frames");
  }
}

}  // namespace

std::span<const std::string_view> zone_methods() { return kZoneMethods; }
std::span<const std::string_view> zone_places() { return kZonePlaces; }

void check_zones(const SceneSpec& scene) {
  for (const BodySpec& body : scene.bodies) {
    std::set<std::string> names;
    for (const ZoneSpec& zone : body.zones) {
      if (!names.insert(zone.name).second) {
        throw Error(Fault::Input, zone.place.text("name"),
                    fmt::format("there is a zone '{}' already", zone.name), "give it another name");
      }
      check_zone(zone, body);
    }
  }
}

void describe(FieldVisitor& visitor, ZoneKeySpec& spec) {
  visitor.number("frame", spec.frame, Unit::None, Range::at_least(0), "when", Need::Required);
  visitor.number("volume", spec.volume, Unit::None, Range::positive(), "over that at rest",
                 Need::Required);
}

void describe(FieldVisitor& visitor, ZoneSpec& spec) {
  visitor.place(spec.place);
  visitor.text("name", spec.name, "names the zone in the diagnostics", Need::Required);
  visitor.choice("where", spec.where, kZonePlaces,
                 "all tets; those that have a number painted as quantity = \"zone\", which is "
                 "carried inwards from the surface; with their middle in a box; of a region of the "
                 "file; or a zone around every node");
  if (spec.where == "painted") {
    visitor.integer("painted", spec.painted, Range::between(-1000000, 1000000),
                    "the number, rounded where it is painted with shades");
  } else if (spec.where == "box") {
    visitor.vector("low", spec.low.e, Unit::Length, {}, "corner of the box", Need::Required);
    visitor.vector("high", spec.high.e, Unit::Length, {}, "opposite corner", Need::Required);
  } else if (spec.where == "region") {
    visitor.text("region", spec.region, "of the file of tets, by its name or number",
                 Need::Required);
  } else if (spec.where == "rings") {
    visitor.integer("rings", spec.rings, Range::between(1, 100),
                    "edges that a zone reaches from its node");
  }
  visitor.list("key", spec.keys,
               "the volume it is to have, with straight lines between keys; without keys that at "
               "rest");
}

}  // namespace isochor::sim
