//! Endpoints of grades.

use crate::common::{Data, DryRun};
use crate::endpoint::{NoBody, NoQuery};
use crate::grades::*;
use crate::ids::GradeId;
use crate::table::{Page, TableQuery};

crate::endpoints! { $ for_each_grades_endpoint "grades";
    /// Grades, archived ones by `is_archived`.
    ListGrades list_grades: GET "/api/v1/admin/grades" [ViewGrades|ManageGrades] ((), TableQuery, NoBody) -> Page<Grade>;
    /// Grades that customers can have, the cheapest to reach first.
    AvailableGrades available_grades: GET "/api/v1/admin/grades/available" [ViewGrades|ManageGrades|ManageGradesForUser] ((), NoQuery, NoBody) -> Data<Vec<AvailableGrade>>;
    /// Makes a grade.
    CreateGrade create_grade: POST "/api/v1/admin/grades" [ManageGrades] ((), NoQuery, GradeInput) -> Data<Grade>;
    /// One grade.
    GetGrade get_grade: GET "/api/v1/admin/grades/{id}" [ViewGrades|ManageGrades] (GradeId, NoQuery, NoBody) -> Data<Grade>;
    /// Changes what is given.
    UpdateGrade update_grade: PATCH "/api/v1/admin/grades/{id}" [ManageGrades] (GradeId, NoQuery, GradeInput) -> Data<Grade>;
    /// Puts it away; refused while customers have it.
    ArchiveGrade archive_grade: POST "/api/v1/admin/grades/{id}/archive" [ManageGrades] (GradeId, DryRun, NoBody) -> Data<Grade>;
    /// Takes it back.
    UnarchiveGrade unarchive_grade: POST "/api/v1/admin/grades/{id}/unarchive" [ManageGrades] (GradeId, DryRun, NoBody) -> Data<Grade>;
}
